//! Which scenes are small enough to be built for every input.

use pliant::scene::LoadedScene;
use serde_json::Value;

/// Largest counts of grids, chains and ropes; of subdivisions, which multiply.
const MAX_COUNT: u64 = 24;
const MAX_DIVISIONS: u64 = 2;
/// Kinds that fill volumes: their sizes are quotients of lengths.
const FILLING: [&str; 3] = ["fluid", "peridynamic", "suture"];

/// Whether all counts of a scene are small, so that building it takes milliseconds.
pub fn is_small(scene: &LoadedScene) -> bool {
    let Ok(Value::Object(tables)) = serde_json::to_value(&scene.scene) else { return false };
    let is_empty = |key: &str| tables.get(key).and_then(Value::as_array).is_none_or(Vec::is_empty);
    let meshed = |table: &Value| !table["mesh"].is_null();
    let all = |key: &str| tables.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let ropes_are_counted = all("rope").iter().all(|rope| rope["segments"].is_u64());
    let solids_are_meshes = all("solid").iter().all(meshed);
    let few = tables.values().filter_map(Value::as_array).map(Vec::len).sum::<usize>() <= 12;
    let counts_are_small = tables.iter().filter(|(_, table)| table.is_array()).all(|(key, list)| counts(key, list));
    few && FILLING.iter().all(|key| is_empty(key)) && ropes_are_counted && solids_are_meshes && counts_are_small
}

fn counts(key: &str, value: &Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => true,
        Value::Number(number) => {
            let divides = ["subdivisions", "refine", "divisions"].contains(&key);
            number.as_u64().is_some_and(|count| count <= if divides { MAX_DIVISIONS } else { MAX_COUNT })
        }
        Value::Array(list) => list.iter().all(|item| counts(key, item)),
        Value::Object(table) => table.iter().all(|(key, item)| counts(key, item)),
        _ => true,
    }
}
