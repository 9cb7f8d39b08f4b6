//! `cloth-sag`: sheets in equilibrium, under mesh refinement and against the elastic catenary.

use std::time::Instant;

use super::catenary::Law;
use super::statics::settle;
use super::strip::{Compared, STRIP_WIDTH, hang_strip, scene};
use pliant_plot::Plot;
use pliant_plot::report::{Experiment, Figure, Table, Verdict};
use pliant_plot::text::{scientific, significant};

/// Points along a side; each mesh halves the edges of the one before.
const MESHES: [usize; 4] = [6, 11, 21, 41];
/// A strip's sag may differ by this part from the textbook's.
pub const ALLOWED: f64 = 0.003;

/// A sheet to refine: how it is held.
struct Sheet {
    name: &'static str,
    plane: &'static str,
    /// The pins, by the number of points along a side.
    pins: fn(usize) -> String,
    material: &'static str,
}

/// Every particle on the border; sides share their corners, and none may be pinned twice.
fn border(points: usize) -> String {
    let on = |k: &usize| [k % points, k / points].into_iter().any(|i| i == 0 || i == points - 1);
    format!("[{{ particles = {:?} }}]", (0..points * points).filter(on).collect::<Vec<_>>())
}

const SHEETS: [Sheet; 3] = [
    Sheet {
        name: "held along the top, soft",
        plane: "vertical",
        pins: |_| r#"[{ side = "top" }]"#.into(),
        material: "youngs_modulus = 1e5\npoisson = 0.24",
    },
    Sheet { name: "held along all sides, lying, cotton", plane: "horizontal", pins: border, material: "" },
    Sheet {
        name: "held at two corners, cotton",
        plane: "vertical",
        pins: |_| r#"[{ corners = ["top-left", "top-right"] }]"#.into(),
        material: "",
    },
];

impl Sheet {
    /// Mean displacement downwards, weighted by mass, m: the work of gravity over the weight. The lowest point would be a particle of its own on
    /// every mesh, and its displacement jumps from one to the next.
    fn sag(&self, points: usize) -> Result<f64, String> {
        let Self { plane, material, .. } = self;
        let pins = (self.pins)(points);
        let scene = scene(&format!(
            "version = 1\n[time]\nuntil = 1\n[[cloth]]\nname = \"sheet\"\ncontact = false\n\
             grid = {{ columns = {points}, rows = {points}, width = 1, height = 1, plane = \"{plane}\" }}\n{material}\npins = {pins}\n"
        ));
        let start = scene.build().map_err(|error| error.to_string())?.simulation;
        let rest = settle(&scene, 0.0)?;
        let (masses, x) = (start.system.masses(), &start.state().x);
        let way: f64 = masses.iter().zip(x.iter().zip(&rest.state.x)).map(|(m, (a, b))| m * (a.y - b.y)).sum();
        Ok(way / masses.iter().sum::<f64>())
    }
}

/// The moduli, Pa, and spans, m, of the strips: strains of the slack ones are small, those of the taut ones up to half a percent.
const STRIPS: [(f64, f64); 6] = [(1e6, 0.95), (3e6, 0.95), (3e7, 0.95), (2e7, 1.0), (1e8, 1.0), (1e9, 1.0)];
const STRIP_COLUMNS: usize = 81;

/// Sags of one sheet on all meshes, and what is made of them.
struct Refined {
    name: &'static str,
    sags: Vec<f64>,
}

impl Refined {
    /// The order in the edge length with which the sag converges, from the last three meshes.
    fn order(&self) -> f64 {
        let [.., a, b, c] = self.sags[..] else { return f64::NAN };
        ((b - a) / (c - b)).abs().log2()
    }

    /// The extrapolation of the last two meshes with that order.
    fn limit(&self) -> f64 {
        let [.., b, c] = self.sags[..] else { return f64::NAN };
        c + (c - b) / (self.order().exp2() - 1.0)
    }

    /// Change of the sag by the last refinement, as a part of it.
    fn change(&self) -> f64 {
        let [.., b, c] = self.sags[..] else { return f64::NAN };
        (c / b - 1.0).abs()
    }
}

fn edge(points: usize) -> f64 {
    1.0 / (points - 1) as f64
}

/// `cloth-sag`.
pub fn cloth_sag(progress: &mut dyn FnMut(&str)) -> Experiment {
    let begin = Instant::now();
    let mut failures = Vec::new();
    let mut sheets = Vec::new();
    for sheet in &SHEETS {
        let mut refined = Refined { name: sheet.name, sags: Vec::new() };
        for points in MESHES {
            progress(&format!("sag of a sheet {}, {points} x {points}", sheet.name));
            match sheet.sag(points) {
                Ok(sag) => refined.sags.push(sag),
                Err(why) => {
                    failures.push(format!("the sheet {} with {points} x {points} points: {why}", sheet.name));
                    refined.sags.push(f64::NAN);
                }
            }
        }
        sheets.push(refined);
    }
    let mut strips = Vec::new();
    for (young, span) in STRIPS {
        progress(&format!("strip of {young:e} Pa over {span} m"));
        match hang_strip(young, span, STRIP_COLUMNS) {
            Ok(compared) => strips.push((young, compared)),
            Err(why) => failures.push(format!("the strip of {young:e} Pa over {span} m: {why}")),
        }
    }
    let worst = strips.iter().map(|(_, compared)| deviation(compared, Law::Linear).abs()).fold(0.0, f64::max);
    let settled = sheets[..2].iter().all(|sheet| sheet.change() < 0.01 && sheet.order() > 0.8);
    let verdict = match (settled, worst < ALLOWED && strips.len() == STRIPS.len()) {
        (true, true) => Verdict::Holds,
        (false, false) => Verdict::Fails,
        _ => Verdict::HoldsPartly,
    };
    Experiment {
        id: "cloth-sag".into(),
        title: "Sheets that hang still".into(),
        paper: "Routh, Analytical Statics (the elastic catenary); convergence under refinement".into(),
        claim: "The sag of a sheet settles as its mesh is refined, and that of a narrow strip is that of the elastic catenary within 0.3 %."
            .into(),
        verdict,
        summary_html: summary(&sheets, &strips, worst, &failures),
        tables: vec![sag_table(&sheets), strip_table(&strips)],
        plots: plots(&sheets, &strips),
        seconds: begin.elapsed().as_secs_f64(),
    }
}

fn deviation(compared: &Compared, law: Law) -> f64 {
    compared.sag / compared.strip.hang(law).sag - 1.0
}

fn summary(sheets: &[Refined], strips: &[(f64, Compared)], worst: f64, failures: &[String]) -> String {
    let each = |sheet: &Refined| {
        format!(
            "<li>{}: {} mm on the finest mesh, changed by {:.2} % by the last refinement; measured order {:.2}</li>",
            sheet.name,
            significant(1e3 * sheet.sags[MESHES.len() - 1], 4),
            100.0 * sheet.change(),
            sheet.order()
        )
    };
    let items: String = sheets.iter().map(each).collect();
    let own = strips.iter().map(|(_, compared)| deviation(compared, Law::Stvk).abs()).fold(0.0, f64::max);
    let failed: String = failures.iter().map(|why| format!("<p><strong>Not found:</strong> {why}.</p>")).collect();
    format!(
        "<p>Square sheets of 1 m come to rest in steps of backward Euler that grow from 2 ms to 5 s, until none moves by 1e-9 m; the \
         sag is the mean way down over the sheet.</p><ul>{items}</ul>\
         <p>The sheet at two corners is another matter: a membrane held at a point gives way there without bound as the mesh is refined, so \
         a sag that keeps growing is what the continuum says, and no mesh is fine enough. (It stays in its plane here, as nothing \
         pushes it out; a real one folds.)</p>\
         <p>Strips of 1 m by {} cm with {STRIP_COLUMNS} points along differ from the elastic catenary by {:.3} % at most. The \
         membrane is not linear: its pull is E A λ(λ² − 1)/2, stiffer by 3/2 of the strain, so the sag of a taut strip should be \
         smaller by half the strain. With that law in the place of the linear one the difference is {:.3} % at most, which is the \
         mesh.</p>{failed}",
        100.0 * STRIP_WIDTH,
        100.0 * worst,
        100.0 * own
    )
}

fn sag_table(sheets: &[Refined]) -> Table {
    let names = sheets.iter().map(|sheet| format!("{} [mm]", sheet.name));
    let mut table = Table::new(
        "Mean sag on finer and finer meshes",
        ["points".to_owned(), "edge [m]".into()].into_iter().chain(names),
    );
    for (k, points) in MESHES.into_iter().enumerate() {
        let sags = sheets.iter().map(|sheet| significant(1e3 * sheet.sags[k], 6));
        table.push([format!("{points} x {points}"), significant(edge(points), 3)].into_iter().chain(sags));
    }
    table.push(
        ["order".to_owned(), String::new()].into_iter().chain(sheets.iter().map(|sheet| significant(sheet.order(), 3))),
    );
    table
}

fn strip_table(strips: &[(f64, Compared)]) -> Table {
    let headers = [
        "modulus [Pa]",
        "span [m]",
        "largest strain [%]",
        "sag [mm]",
        "elastic catenary [mm]",
        "differs [%]",
        "expected of StVK [%]",
        "differs from StVK [%]",
    ];
    let mut table = Table::new("Strips of 1 m with both ends held", headers);
    for (young, compared) in strips {
        let (linear, stvk) = (compared.strip.hang(Law::Linear), compared.strip.hang(Law::Stvk));
        table.push([
            scientific(*young, 1),
            compared.strip.span.to_string(),
            format!("{:.3}", 100.0 * stvk.strain),
            significant(1e3 * compared.sag, 6),
            significant(1e3 * linear.sag, 6),
            format!("{:+.3}", 100.0 * deviation(compared, Law::Linear)),
            format!("{:+.3}", 100.0 * (stvk.sag / linear.sag - 1.0)),
            format!("{:+.3}", 100.0 * deviation(compared, Law::Stvk)),
        ]);
    }
    table
}

fn plots(sheets: &[Refined], strips: &[(f64, Compared)]) -> Vec<Figure> {
    let mut sags = Plot::new("Mean sag over the edge length")
        .x("edge [m]")
        .y("sag / sag on the finest mesh")
        .log_x()
        .size(640, 420);
    let mut differences = Plot::new("Distance from the limit of refinement")
        .x("edge [m]")
        .y("|sag − limit| / limit")
        .log_x()
        .log_y()
        .size(640, 420);
    for sheet in sheets {
        let over = |value: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            MESHES.into_iter().zip(&sheet.sags).map(|(points, sag)| (edge(points), value(*sag))).collect()
        };
        let finest = sheet.sags[MESHES.len() - 1];
        let relative = over(&|sag| sag / finest);
        sags = sags.line(sheet.name, &relative).points(sheet.name, &relative);
        // where the sag keeps growing there is no limit to compare with
        if sheet.order() > 0.5 {
            let distances = over(&|sag| (sag / sheet.limit() - 1.0).abs());
            differences = differences.line(sheet.name, &distances).points(sheet.name, &distances);
        }
    }
    let guide = |order: i32| -> Vec<(f64, f64)> { [0.025, 0.2].map(|h: f64| (h, 0.1 * h.powi(order))).into() };
    differences = differences.dashed("order 1", &guide(1)).dashed("order 2", &guide(2));
    let mut strip = Plot::new("Strips against the elastic catenary")
        .x("largest strain [%]")
        .y("sag / textbook − 1 [%]")
        .log_x()
        .hline(-100.0 * ALLOWED, "allowed")
        .hline(0.0, "")
        .size(640, 420);
    for (law, name) in [(Law::Linear, "against the linear law"), (Law::Stvk, "against St. Venant and Kirchhoff’s law")]
    {
        let points: Vec<(f64, f64)> = strips
            .iter()
            .map(|(_, compared)| (100.0 * compared.strip.hang(Law::Stvk).strain, 100.0 * deviation(compared, law)))
            .collect();
        strip = strip.points(name, &points);
    }
    vec![
        Figure::new(
            "refinement",
            "Sheets held along lines settle; the one held at two points goes on giving way.",
            &sags,
        ),
        Figure::new(
            "order",
            "The distance from the limit that the last three meshes point to; the sheet at two corners has none.",
            &differences,
        ),
        Figure::new("strips", "What is left of the difference with the membrane’s own law is the mesh.", &strip),
    ]
}
