//! Checks of sutures.

use crate::schema::Scene;
use crate::validate::Complaints;

/// Largest number of sutures: each is one bit of a set.
const MOST: usize = 64;

pub(super) fn check(scene: &Scene, c: &mut Complaints) {
    let ropes = scene.rope.iter().map(|rope| rope.name.as_str());
    let soft =
        (scene.solid.iter().map(|body| body.name.as_str())).chain(scene.cloth.iter().map(|body| body.name.as_str()));
    if scene.suture.len() > MOST {
        c.add(&format!("suture[{MOST}]"), format!("a scene can have at most {MOST} sutures"));
    }
    for (k, table) in scene.suture.iter().enumerate() {
        let key = |name: &str| format!("suture[{k}].{name}");
        match scene.rope.iter().find(|rope| rope.name == table.thread) {
            None => c.unknown(&key("thread"), "rope", &table.thread, ropes.clone()),
            Some(_) if scene.suture[..k].iter().any(|other| other.thread == table.thread) => {
                c.add(&key("thread"), format!("\"{}\" is the thread of an earlier suture", table.thread));
            }
            Some(_) => {}
        }
        if table.through.is_empty() {
            c.add(&key("through"), "name the solids and cloths that are sewn");
        }
        for (i, name) in table.through.iter().enumerate() {
            let path = format!("suture[{k}].through[{i}]");
            if !soft.clone().any(|known| known == name) {
                c.unknown(&path, "solid or cloth", name, soft.clone());
            } else if table.through[..i].contains(name) {
                c.add(&path, format!("\"{name}\" is named twice"));
            }
        }
        if table.needle == 0 {
            c.add(&key("needle"), "the needle has at least one segment");
        }
        c.positive(&key("stiffness"), table.stiffness.si());
        c.not_negative(&key("grip"), table.grip.si());
    }
}
