//! Pieces of the experiments on solids that are quick to run.

use pliant::core::State;
use pliant::prelude::DVec3;
use pliant_lab::solid::forces::{Cube, RIVALS};

/// In a cube of one cell that is pulled and turned, the whole force of hybrid is nearer to Green's than that of polar, polar than warped, and, half
/// a turn on, warped than Cauchy; hybrid's pressure is Green's own, and its shear is polar's.
#[test]
fn the_measures_keep_their_order() {
    let cube = Cube::new(1);
    let states = cube.moved(1, 6.0).unwrap();
    let late: Vec<&State> = states.iter().filter(|state| state.time > 4.5).step_by(5).collect();
    assert!(late.len() >= 4);
    for state in late {
        let errors = cube.errors(state);
        // back after a whole turn, Cauchy's measure is not turned
        let judged = if state.time > 5.0 { 4 } else { 3 };
        let ordered = errors[..judged].windows(2).all(|pair| pair[0][2] < pair[1][2]);
        assert!(ordered, "{} s: {RIVALS:?} {errors:?}", state.time);
        assert!(errors[0][0] < 1e-9 && (errors[0][1] - errors[1][1]).abs() < 1e-9, "{errors:?}");
        // "roughly halves": in pressure, not in shear
        let [pressure, shear] = [0, 1].map(|part| errors[1][part] / errors[2][part]);
        assert!(pressure < 0.7 && shear > 0.7, "{} s: {pressure} {shear}", state.time);
    }
    // all but Cauchy's are the same in a turned copy
    let last = states.last().unwrap();
    let turned = State::at_rest(last.x.iter().map(|x| DVec3::new(-x.z, x.y, x.x)).collect());
    let (here, there) = (cube.errors(last), cube.errors(&turned));
    for k in 0..3 {
        assert!((here[k][2] - there[k][2]).abs() < 1e-9, "{}: {:?} {:?}", RIVALS[k].0, here[k], there[k]);
    }
}
