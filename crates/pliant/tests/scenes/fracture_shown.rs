//! What is seen of a body that breaks: damage and fragments in frames, their surfaces, a table of them, and pictures that show them.

use std::path::{Path, PathBuf};

use pliant::mesh::Mesh;
use pliant::picture::{Colouring, Image, Styling};
use pliant::pictures::Film;
use pliant::record::{Frame, read_vtu};
use pliant::runner::{RunOptions, Silent, run};
use pliant::scene::{LoadedScene, from_text};

/// A bar that turns faster than it can bear: 384 particles.
const BAR: &str = "version = 1
[world]
gravity = [0, 0, 0]
[time]
until = \"1.2 ms\"
fps = 5000
[[peridynamic]]
name = \"bar\"
box = { min = [-0.06, -0.01, -0.01], max = [0.06, 0.01, 0.01] }
spacing = \"5 mm\"
horizon = 2.015
density = 1000
youngs_modulus = \"10 MPa\"
energy_release_rate = 5
spin = [0, 400, 0]
[output]
formats = [\"vtu\", \"surface\", \"fragments\", \"png\"]
";

const LAST: u64 = 6;
const SIZE: [usize; 2] = [120, 90];

fn scene(more: &str) -> LoadedScene {
    from_text("bar", "bar", &format!("{BAR}{more}"), &[]).unwrap()
}

/// Runs the scene into a folder of this test's own.
fn result(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pliant-fracture-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    run(&scene(""), &RunOptions::new(&folder), &mut Silent).unwrap();
    folder
}

fn frame(folder: &Path, k: u64) -> Frame {
    read_vtu(&folder.join(format!("frames/frame_{k:05}.vtu"))).unwrap()
}

/// Rows of the table of a frame.
fn table(folder: &Path, k: u64) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(folder.join(format!("fragments/frame_{k:05}.csv"))).unwrap();
    let row = |line: &str| line.split(',').map(|number| number.parse().unwrap()).collect();
    text.lines().skip(1).map(row).collect()
}

fn differing(a: &Image, b: &Image) -> usize {
    a.pixels.iter().zip(&b.pixels).filter(|(a, b)| a != b).count()
}

#[test]
fn files_agree_on_what_has_broken() {
    let folder = result("files");
    assert_eq!(table(&folder, 0).len(), 1);
    let (rows, last) = (table(&folder, LAST), frame(&folder, LAST));
    assert!(rows.len() >= 2, "{rows:?}");
    let (fragment, damage) = (last.fields.find("fragment").unwrap(), last.fields.find("damage").unwrap());
    assert!(damage.iter().all(|d| (0.0..=1.0).contains(d)) && damage.iter().any(|d| *d > 0.2));
    assert!(frame(&folder, 0).fields.find("damage").unwrap().iter().all(|d| *d == 0.0));

    // 48 cm³ at 1000 kg/m³; nothing pushes from outside, so that the sum of momenta stays.
    let total: f64 = rows.iter().map(|row| row[3]).sum();
    assert!((total - 0.048).abs() < 1e-12, "{total}");
    for axis in 0..3 {
        let momentum: f64 = rows.iter().map(|row| row[3] * row[7 + axis]).sum();
        assert!(momentum.abs() < 1e-9, "{momentum}");
    }
    assert!(rows.windows(2).all(|pair| pair[0][3] >= pair[1][3]), "the heaviest first");
    for row in &rows {
        let members = || (0..fragment.len()).filter(|i| fragment[*i] == row[0]);
        assert_eq!((members().count() as f64, row[1]), (row[2], 0.0));
        let x = members().map(|i| last.state.x[i].x).sum::<f64>() / row[2];
        assert!((x - row[4]).abs() < 1e-12);
    }

    let surface = |k: u64| Mesh::read(&folder.join(format!("surface/frame_{k:05}.ply"))).unwrap();
    let (whole, split) = (surface(0), surface(LAST));
    // 24 x 4 x 4 cells: 416 squares outside, and those of the cracks besides.
    assert_eq!(whole.faces.len(), 2 * 416);
    let of = |name: &str| &split.attributes.iter().find(|attribute| attribute.name == name).unwrap().values;
    let in_cracks = split.faces.iter().filter(|corners| of("inner")[corners[0] as usize] == 1.0).count();
    assert_eq!(split.faces.len(), 2 * 416 + in_cracks);
    assert!(in_cracks >= 4 * 16, "{in_cracks}");
    let mut numbers: Vec<f64> = of("fragment").clone();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let mut known: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    known.sort_by(f64::total_cmp);
    assert_eq!(numbers, known);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn pictures_show_the_fragments() {
    let folder = result("pictures");
    let last = LAST as usize;
    let picture = |colour: Option<Colouring>| {
        let mut film = Film::of_result(&folder, |wishes| wishes.colour = colour).unwrap();
        assert_eq!(film.times().len(), last + 1);
        film.picture(last, SIZE).unwrap()
    };
    let (plain, damage) = (picture(None), picture(Some(Colouring::Damage)));
    assert!(differing(&plain, &damage) > 500);
    // The colours of damage in a scene's own words.
    let in_words = std::fs::read_to_string(folder.join("scene.toml")).unwrap() + "\n[view]\ncolor = \"damage\"\n";
    std::fs::write(folder.join("scene.toml"), in_words).unwrap();
    assert_eq!(Film::of_result(&folder, |_| {}).unwrap().picture(last, SIZE).unwrap(), damage);

    // The same from memory as from files.
    let styling = |colour| Styling { colour, ..Styling::default() };
    let mut film = Film::of_scene(&scene(""), styling(Some(Colouring::Damage)), true, &mut Silent).unwrap();
    assert_eq!(film.picture(last, SIZE).unwrap(), damage);

    // What is over in a millisecond is shown in slow motion, every frame of it.
    assert_eq!(film.times().len(), last + 1);
    let gif = film
        .animation(None, SIZE, |_, all| {
            assert_eq!(all, last + 1);
            Ok(())
        })
        .unwrap();
    assert!(gif.starts_with(b"GIF89a"));
    assert!(film.notes.iter().any(|note| note.contains("times slower")), "{:?}", film.notes);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Results of earlier versions have no fragments in their frames.
#[test]
fn frames_without_fields_show_the_body_whole() {
    let folder = result("bare");
    let simulation = scene("").build().unwrap().simulation;
    let path = folder.join(format!("frames/frame_{LAST:05}.vtu"));
    let draw = || Film::of_result(&folder, |_| {}).unwrap().picture(LAST as usize, SIZE).unwrap();
    let broken = draw();
    pliant::record::write_vtu(&path, &simulation.system, &frame(&folder, LAST).state).unwrap();
    assert!(differing(&broken, &draw()) > 20);
    std::fs::remove_dir_all(&folder).unwrap();
}
