//! Bending of sheets on any mesh: cantilever, cylinder, sphere, waves, large deflections. What is right does not depend on how a sheet is cut into
//! triangles, and what is left shrinks with the mesh.

use glam::{DVec2, DVec3};
use pliant::core::{ForceModel, JacobianKind, State, System};
use pliant::forces::{Orthotropic, PlateBending, RestTriangle, StvkMembrane, StvkTriangle};
use pliant::scene::load::from_text;
use pliant_testkit::derivative::{force, jacobian};
use pliant_testkit::sheets::{CUTS, Cut, Flat, solve_banded};

const CELLS: [u32; 3] = [8, 16, 32];
/// For shapes that are given, where nothing has to be solved.
const MORE_CELLS: [u32; 3] = [16, 32, 64];
/// Below this part of what is measured nothing but rounding and curvature of the second order is left, and no order is asked for.
const ROUNDING: f64 = 2e-5;

const ORDER: f64 = 1.5;

fn bending(mesh: &Flat, rest: &[DVec3], stiffness: [f64; 2], held: fn(DVec3) -> bool) -> Box<dyn ForceModel> {
    let rigid = |t: usize| mesh.triangles[t].iter().all(|n| held(rest[*n as usize]));
    let plate = PlateBending::new(&mesh.triangles, rest, |_| DVec3::X, rigid, stiffness, 0.0).unwrap();
    Box::new(plate.expect("the sheet has hinges"))
}

fn lift(mesh: &Flat, place: impl Fn(DVec2) -> DVec3) -> Vec<DVec3> {
    mesh.points.iter().map(|p| place(*p)).collect()
}

fn system(count: usize, models: Vec<Box<dyn ForceModel>>) -> System {
    System::new(vec![1.0; count], Vec::new(), models, Vec::new()).unwrap()
}

fn at_rest(x: Vec<DVec3>) -> State {
    State { time: 0.0, v: vec![DVec3::ZERO; x.len()], x }
}

/// Within 2 % on 32 cells, and of this order at least from the coarsest to the finest mesh.
fn converges(what: &str, errors: [f64; 3]) {
    let order = 0.5 * (errors[0] / errors[2]).abs().log2();
    let shown = errors.map(|e| format!("{:+.4} %", 100.0 * e));
    println!("{what:28} {} {} {}, order {order:.2}", shown[0], shown[1], shown[2]);
    assert!(errors[2].abs() < 0.02, "{what}: {shown:?}");
    assert!(order >= ORDER || errors.iter().all(|e| e.abs() < ROUNDING), "{what}: {shown:?} is of order {order}");
}

/// Weight of each point where every square metre weighs 1 N.
fn weights(mesh: &Flat) -> Vec<f64> {
    let mut out = vec![0.0; mesh.points.len()];
    for t in &mesh.triangles {
        t.iter().for_each(|n| out[*n as usize] += mesh.area(*t) / 3.0);
    }
    out
}

/// A strip of 1 m with one more column of cells before x = 0, which is held: there it is clamped.
fn clamped(cut: Cut, cells: u32, seed: u64) -> Flat {
    Flat::new(cut, cells, DVec2::new(1.0, 0.25), [1, 0, 0], seed)
}

fn is_held(x: DVec3) -> bool {
    x.x < 1e-9
}

/// On the border of a square of 1 m or outside.
fn is_framed(x: DVec3) -> bool {
    let inside = |x: f64| x > 1e-9 && x < 1.0 - 1e-9;
    !(inside(x.x) && inside(x.y))
}

fn free(_: DVec3) -> bool {
    false
}

/// Where the strip ends.
fn end(rest: &[DVec3]) -> Vec<usize> {
    (0..rest.len()).filter(|i| rest[*i].x > 1.0 - 1e-9).collect()
}

/// The error on three meshes; where points lie at random, that of four sets of them in the mean square.
fn errors(cut: Cut, cells: [u32; 3], error: impl Fn(u32, u64) -> f64) -> [f64; 3] {
    let seeds = if matches!(cut, Cut::Jittered | Cut::Delaunay) { 4 } else { 1 };
    cells.map(|cells| match seeds {
        1 => error(cells, 0),
        _ => ((0..seeds).map(|seed| error(cells, seed).powi(2)).sum::<f64>() / seeds as f64).sqrt(),
    })
}

/// Small deflections under loads, from the stiffness of the flat sheet across its plane.
fn deflection(system: &mut System, rest: &[DVec3], up: DVec3, held: impl Fn(usize) -> bool, load: &[f64]) -> Vec<f64> {
    let jacobian = jacobian(system, &at_rest(rest.to_vec()), JacobianKind::Exact);
    let matrix = &jacobian.stiffness;
    let free: Vec<usize> = (0..rest.len()).filter(|i| !held(*i)).collect();
    let number = |i: usize| free.binary_search(&i).ok();
    let mut lower = Vec::new();
    for (row, i) in free.iter().enumerate() {
        for k in matrix.pattern.row_start[*i]..matrix.pattern.row_start[*i + 1] {
            let column = number(matrix.pattern.columns[k as usize] as usize);
            if let Some(column) = column.filter(|column| *column <= row) {
                lower.push((row, column, -up.dot(matrix.values[k as usize] * up)));
            }
        }
    }
    let load: Vec<f64> = free.iter().map(|i| load[*i]).collect();
    let solved = solve_banded(free.len(), &lower, &load).expect("the sheet is held");
    (0..rest.len()).map(|i| number(i).map_or(0.0, |k| solved[k])).collect()
}

fn mean_at_end(rest: &[DVec3], values: &[f64]) -> f64 {
    let end = end(rest);
    end.iter().map(|i| values[*i]).sum::<f64>() / end.len() as f64
}

#[test]
fn a_cantilever_sags_as_a_plate() {
    for cut in CUTS {
        let errors = errors(cut, CELLS, |cells, seed| {
            let mesh = clamped(cut, cells, seed);
            let rest = lift(&mesh, |p| p.extend(0.0));
            let mut system = system(rest.len(), vec![bending(&mesh, &rest, [1.0; 2], is_held)]);
            let sag = deflection(&mut system, &rest, DVec3::Z, |i| is_held(rest[i]), &weights(&mesh));
            mean_at_end(&rest, &sag) / (1.0 / 8.0) - 1.0
        });
        converges(&format!("cantilever, {cut:?}"), errors);
    }
}

/// The same with the default of `[[cloth]]`, and with nothing of the models in hand: what a user gets.
#[test]
fn cloth_of_a_scene_sags_as_a_plate() {
    for (name, ratio) in [("2:1", 2.0), ("1:1", 1.0), ("1:2", 0.5)] {
        let errors = CELLS.map(|cells| {
            let cell = 1.0 / f64::from(cells);
            let rows = (f64::from(cells) * 0.25 * ratio).round() as u32 + 1;
            let text = format!(
                "version = 1\ntime = {{ until = 1 }}\n[[cloth]]\nname = \"strip\"\nbending_stiffness = 1e-4\n\
                 bending_damping = 0\npreset = \"cotton\"\n\
                 grid = {{ columns = {}, rows = {rows}, width = {}, height = 0.25, plane = \"horizontal\", \
                 origin = [{}, 0, 0] }}\npins = [{{ box = {{ min = [-1, -1, -1], max = [1e-6, 1, 1] }} }}]\n",
                cells + 2,
                1.0 + cell,
                -cell
            );
            let scene = from_text("strip", "strip.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
            let simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
            let rest = simulation.state().x.clone();
            let density = 0.15;
            let load: Vec<f64> = simulation.system.masses().iter().map(|m| m / density).collect();
            let mut system = simulation.system;
            let sag = deflection(&mut system, &rest, DVec3::Y, |i| is_held(rest[i]), &load);
            mean_at_end(&rest, &sag) / (1.0 / 8e-4) - 1.0
        });
        converges(&format!("cantilever of a scene, {name}"), errors);
    }
}

/// Bent to a cylinder of half a metre in any direction, warp and weft of different stiffness; and bent flat where it is a cylinder at rest.
#[test]
fn a_cylinder_has_the_energy_of_a_plate() {
    let (radius, stiffness) = (0.5, [2.0, 1.0]);
    for cut in CUTS {
        for degrees in [0.0_f64, 30.0, 90.0, 135.0] {
            let along = DVec2::from_angle(degrees.to_radians());
            let roll = |p: DVec2| {
                let s = p.dot(along) / radius;
                let across = along.perp() * p.dot(along.perp());
                (along * (radius * s.sin()) + across).extend(radius * (1.0 - s.cos()))
            };
            let exact = 0.5 * (stiffness[0] * along.x.powi(2) + stiffness[1] * along.y.powi(2)) / radius.powi(2);
            let of = |is_curved: bool| {
                errors(cut, MORE_CELLS, |cells, seed| {
                    let mesh = Flat::new(cut, cells, DVec2::ONE, [0; 3], seed);
                    let (mut from, mut to) = (lift(&mesh, |p| p.extend(0.0)), lift(&mesh, roll));
                    if is_curved {
                        std::mem::swap(&mut from, &mut to);
                    }
                    // on a curved sheet there is no one direction of the warp
                    let stiffness = if is_curved { [stiffness[0]; 2] } else { stiffness };
                    let mut sheet = system(from.len(), vec![bending(&mesh, &from, stiffness, free)]);
                    assert_eq!(sheet.energies().potential(&at_rest(from).view()), 0.0);
                    sheet.energies().potential(&at_rest(to).view()) / exact - 1.0
                })
            };
            converges(&format!("cylinder {degrees}°, {cut:?}"), of(false));
            if degrees == 0.0 {
                converges(&format!("cylinder at rest, {cut:?}"), of(true));
            }
        }
    }
}

/// `½ ∫ |H|²` of a shallow sphere, where `H = 1/R` in all directions.
#[test]
fn a_sphere_has_the_energy_of_a_plate() {
    let radius = 1e3_f64;
    let cap = |p: DVec2| {
        let square = (p - 0.5).length_squared();
        p.extend(square / (radius + (radius * radius - square).sqrt()))
    };
    for cut in CUTS {
        let errors = errors(cut, CELLS, |cells, seed| {
            let mesh = Flat::new(cut, cells, DVec2::ONE, [0; 3], seed);
            let flat = lift(&mesh, |p| p.extend(0.0));
            let mut sheet = system(flat.len(), vec![bending(&mesh, &flat, [1.0; 2], free)]);
            sheet.energies().potential(&at_rest(lift(&mesh, cap)).view()) * radius.powi(2) - 1.0
        });
        converges(&format!("sphere, {cut:?}"), errors);
    }
}

/// A square plate that is clamped all around goes down by this times q L⁴/B in the mean, whatever Poisson's ratio: by Ritz's method with 144
/// products of Legendre's polynomials, which give the textbook's 0.00126532 in the middle.
const MEAN_SAG: f64 = 0.000_389_120_077_5;

#[test]
fn a_square_plate_sags_in_its_frame() {
    for cut in CUTS {
        let errors = errors(cut, CELLS, |cells, seed| {
            // so many cells both ways
            let mesh = Flat::new(cut, (f64::from(cells) / cut.ratio().min(1.0)) as u32, DVec2::ONE, [1; 3], seed);
            let rest = lift(&mesh, |p| p.extend(0.0));
            let mut system = system(rest.len(), vec![bending(&mesh, &rest, [1.0; 2], is_framed)]);
            // the mean, because a mesh at random has no point in the middle
            let load = weights(&mesh);
            let sag = deflection(&mut system, &rest, DVec3::Z, |i| is_framed(rest[i]), &load);
            sag.iter().zip(&load).map(|(sag, load)| sag * load).sum::<f64>() / MEAN_SAG - 1.0
        });
        converges(&format!("clamped plate, {cut:?}"), errors);
    }
}

/// Where the end of an elastica of length and stiffness 1 goes under a load P across it: `θ'' = -P cos θ` with θ' = 0 at the end, by shooting.
fn elastica(load: f64) -> DVec2 {
    let shoot = |bent: f64| {
        let (mut y, steps) = ([0.0, bent, 0.0, 0.0], 2000);
        let slope = |y: [f64; 4]| [y[1], -load * y[0].cos(), y[0].cos(), y[0].sin()];
        let h = 1.0 / f64::from(steps);
        let add = |y: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
        for _ in 0..steps {
            let a = slope(y);
            let b = slope(add(y, a, 0.5 * h));
            let c = slope(add(y, b, 0.5 * h));
            let d = slope(add(y, c, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        y
    };
    let (mut low, mut high) = (0.0, load);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle)[1] < 0.0 { low = middle } else { high = middle }
    }
    let [.., x, y] = shoot(0.5 * (low + high));
    DVec2::new(x, y)
}

/// Static equilibrium of a strip under forces, found by Newton's method on the energy.
fn settle(system: &mut System, mut x: Vec<DVec3>, held: &[bool], load: &[DVec3]) -> Vec<DVec3> {
    let number: Vec<usize> = held
        .iter()
        .scan(0, |n, held| {
            let k = *n;
            *n += usize::from(!held);
            Some(k)
        })
        .collect();
    let count = 3 * held.iter().filter(|held| !**held).count();
    let work = |x: &[DVec3]| -> f64 { x.iter().zip(load).map(|(x, f)| x.dot(*f)).sum() };
    for _ in 0..100 {
        let state = at_rest(x.clone());
        let residual = force(system, &state);
        let mut b = vec![0.0; count];
        for i in (0..x.len()).filter(|i| !held[*i]) {
            (0..3).for_each(|k| b[3 * number[i] + k] = (residual[i] + load[i])[k]);
        }
        let step = [JacobianKind::Exact, JacobianKind::Psd].into_iter().find_map(|kind| {
            let matrix = jacobian(system, &state, kind).stiffness;
            let mut lower = Vec::new();
            for i in (0..x.len()).filter(|i| !held[*i]) {
                for p in matrix.pattern.row_start[i] as usize..matrix.pattern.row_start[i + 1] as usize {
                    let j = matrix.pattern.columns[p] as usize;
                    if held[j] || j > i {
                        continue;
                    }
                    let block = matrix.values[p];
                    for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))).filter(|(r, c)| j < i || c <= r) {
                        lower.push((3 * number[i] + r, 3 * number[j] + c, -block.col(c)[r]));
                    }
                }
            }
            solve_banded(count, &lower, &b)
        });
        let step = step.expect("the positive kind is definite");
        let before = system.energies().potential(&state.view()) - work(&x);
        let downhill: f64 = step.iter().zip(&b).map(|(s, b)| s * b).sum();
        let largest = step.iter().fold(0.0_f64, |a, s| a.max(s.abs()));
        let mut part = 1.0_f64.min(0.2 / largest);
        loop {
            let moved: Vec<DVec3> = (0..x.len())
                .map(|i| if held[i] { x[i] } else { x[i] + DVec3::from_slice(&step[3 * number[i]..]) * part })
                .collect();
            let after = system.energies().potential(&at_rest(moved.clone()).view()) - work(&moved);
            if after <= before - 1e-4 * part * downhill + 1e-12 * before.abs() || part < 1e-6 {
                x = moved;
                break;
            }
            part *= 0.5;
        }
        if largest < 1e-9 {
            return x;
        }
    }
    panic!("no equilibrium was found");
}

/// `P L²/B = 5`: the end goes down by 0.71 of the length. A membrane of E t = 1e5 B/m² stretches by 5e-5.
#[test]
fn a_strip_bends_far_as_the_elastica() {
    let (load, width) = (5.0, 0.25);
    let exact = elastica(load);
    assert!((exact - DVec2::new(1.0 - 0.38763, 0.71379)).length() < 2e-5, "{exact}");
    for cut in CUTS {
        let errors = errors(cut, CELLS, |cells, seed| {
            let mesh = clamped(cut, cells, seed);
            let rest = lift(&mesh, |p| p.extend(0.0));
            let membrane = Orthotropic { young: [1e5; 2], poisson: 0.0, shear: 5e4, thickness: 1.0, damping_time: 0.0 };
            let triangle = |t: &[u32; 3]| {
                let shape = RestTriangle::in_plane(t.map(|n| mesh.points[n as usize])).unwrap();
                StvkTriangle::new(*t, shape, &membrane).unwrap()
            };
            let sheet = StvkMembrane::new(mesh.triangles.iter().map(triangle).collect());
            let mut system = system(rest.len(), vec![Box::new(sheet), bending(&mesh, &rest, [1.0; 2], is_held)]);
            let held: Vec<bool> = rest.iter().map(|x| is_held(*x)).collect();
            let mut forces = vec![DVec3::ZERO; rest.len()];
            let end = end(&rest);
            for pair in end.windows(2) {
                let share = load * (rest[pair[1]].y - rest[pair[0]].y).abs() * 0.5;
                pair.iter().for_each(|i| forces[*i].z += share);
            }
            assert!((forces.iter().sum::<DVec3>().z - load * width).abs() < 1e-12);
            let x = settle(&mut system, rest, &held, &forces);
            let tip = end.iter().map(|i| DVec2::new(x[*i].x, x[*i].z)).sum::<DVec2>() / end.len() as f64;
            (tip - exact).length() / exact.y
        });
        converges(&format!("elastica, {cut:?}"), errors);
    }
}

/// The faster models are a key away; what they cannot do is refused, with what to take instead.
#[test]
fn other_kinds_of_bending_can_be_chosen() {
    let build = |lines: &str, shape: &str| {
        let text = format!("version = 1\ntime = {{ until = 1 }}\n[[cloth]]\nname = \"sheet\"\n{shape}\n{lines}\n");
        let scene = from_text("sheet", "sheet.toml", &text, &[]).map_err(|error| error.to_string())?;
        let system = scene.build().map_err(|error| error.to_string())?.simulation.system;
        let names: Vec<&str> = system.models().iter().map(|model| model.name()).collect();
        Ok::<_, String>(names.into_iter().find(|name| name.ends_with("-bending")).unwrap_or("none").to_owned())
    };
    let grid = "grid = { columns = 4, rows = 4, width = 1, height = 1 }";
    let ball = "sphere = { radius = 1, subdivisions = 1 }";
    let undamped = "bending = \"quadratic\"\nbending_damping = 0";
    assert_eq!(build("", grid).as_deref(), Ok("plate-bending"));
    assert_eq!(build("", ball).as_deref(), Ok("plate-bending"));
    assert_eq!(build("bending = \"hinges\"", ball).as_deref(), Ok("hinge-bending"));
    assert_eq!(build(undamped, grid).as_deref(), Ok("quadratic-bending"));
    assert_eq!(build("bending_stiffness = 0", grid).as_deref(), Ok("none"));
    for (lines, shape, words) in [
        ("bending = \"quadratic\"", grid, "bending_damping = 0"),
        (undamped, ball, "flat at rest"),
        ("model = \"springs\"\nbending = \"hinges\"", grid, "leave `bending` out"),
    ] {
        let message = build(lines, shape).expect_err(lines);
        assert!(message.contains(words) && message.contains("cloth[0].bending"), "{message}");
    }
}

/// Folded far beyond a right angle along a line, energy and force stay finite and grow with the angle.
#[test]
fn folds_beyond_a_right_angle_are_no_worse_than_others() {
    for cut in [Cut::Rising(1.0), Cut::Delaunay] {
        let mesh = Flat::new(cut, 8, DVec2::ONE, [0; 3], 0);
        let flat = lift(&mesh, |p| p.extend(0.0));
        let mut sheet = system(flat.len(), vec![bending(&mesh, &flat, [1.0; 2], free)]);
        let mut before = 0.0;
        for degrees in [30.0_f64, 60.0, 90.0, 120.0, 150.0, 170.0] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let fold = |p: DVec2| {
                let over = (p.x - 0.5).max(0.0);
                DVec3::new(p.x.min(0.5) + over * cos, p.y, over * sin)
            };
            let state = at_rest(lift(&mesh, fold));
            let energy = sheet.energies().potential(&state.view());
            let largest = force(&mut sheet, &state).iter().map(|f| f.length()).fold(0.0, f64::max);
            // B θ² over the width of a cell, 1/8 m; moments of B θ/h over arms of h/4 at least
            assert!(energy > before && energy < 40.0 * degrees.to_radians().powi(2), "{cut:?} {degrees}°: {energy} J");
            assert!(largest < 100.0 * 64.0 * degrees.to_radians(), "{cut:?} {degrees}°: {largest} N");
            before = energy;
        }
    }
}
