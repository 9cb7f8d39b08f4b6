//! The table of a sweep, one row per run.

use serde_json::{Value, json};

use super::{Run, RunResult, Status, Sweep, Vary};

/// Names of the columns of numbers, and where they are in the summary of a run.
pub const COLUMNS: [(&str, &str); 38] = [
    ("time", "/time"),
    ("frames", "/frames"),
    ("steps", "/steps"),
    ("rejected", "/rejected"),
    ("solves", "/solves"),
    ("linear_iterations", "/linear_iterations"),
    ("dt_min", "/dt/min"),
    ("dt_mean", "/dt/mean"),
    ("dt_max", "/dt/max"),
    ("wall_seconds", "/wall_seconds"),
    ("energy_kinetic", "/energy/kinetic"),
    ("energy_elastic", "/energy/elastic"),
    ("energy_gravity", "/energy/gravity"),
    ("energy_total", "/energy/total"),
    ("ledger_start", "/ledger/start"),
    ("ledger_viscous", "/ledger/viscous"),
    ("ledger_contact", "/ledger/contact"),
    ("ledger_loads", "/ledger/loads"),
    ("ledger_colliders", "/ledger/colliders"),
    ("ledger_pins", "/ledger/pins"),
    ("ledger_projection", "/ledger/projection"),
    ("ledger_fracture", "/ledger/fracture"),
    ("ledger_integrator", "/ledger/integrator"),
    ("momentum_x", "/momentum/0"),
    ("momentum_y", "/momentum/1"),
    ("momentum_z", "/momentum/2"),
    ("bound_by_force_error", "/bound_by/force_error"),
    ("bound_by_truncation", "/bound_by/truncation"),
    ("bound_by_other", "/bound_by/other"),
    ("active_fraction", "/active_fraction"),
    ("particles", "/particles"),
    ("integrator", "/integrator"),
    ("controller", "/controller"),
    ("state_hash", "/state_hash"),
    ("version", "/version"),
    ("simd", "/simd"),
    ("threads", "/threads"),
    ("finished", "/finished"),
];

/// The header of the table.
pub fn header(sweep: &Sweep) -> Vec<String> {
    let keys = sweep.plan.vary.iter().map(|one| one.path.as_str());
    let numbers = COLUMNS.iter().map(|(name, _)| *name);
    ["run", "repeat"]
        .into_iter()
        .chain(keys)
        .chain(["status"])
        .chain(numbers)
        .chain(["reason"])
        .map(str::to_owned)
        .collect()
}

/// The table as CSV. A run without a result has the status `missing`.
pub fn csv(sweep: &Sweep, results: &[Option<RunResult>]) -> String {
    let mut text = line(header(sweep).iter().map(String::as_str));
    for (run, result) in sweep.runs().zip(results) {
        let mut row = vec![run.number.to_string(), run.repeat.to_string()];
        row.extend(run.values);
        row.push(status(result).into());
        row.extend(COLUMNS.iter().map(|(_, place)| result.as_ref().map_or_else(String::new, |one| cell(one, place))));
        row.push(result.as_ref().map_or_else(String::new, remark));
        text += &line(row.iter().map(String::as_str));
    }
    text
}

/// The same as values, in the order of [`header`]: numbers as numbers, missing values as `null`.
pub fn rows(sweep: &Sweep, results: &[Option<RunResult>]) -> Vec<Vec<Value>> {
    let row = |(run, result): (Run, &Option<RunResult>)| {
        let mut row = vec![json!(run.number), json!(run.repeat)];
        row.extend(run.values.iter().map(|text| plain(text)));
        row.push(json!(status(result)));
        let summary = result.as_ref().map(|one| &one.summary);
        row.extend(
            COLUMNS.iter().map(|(_, place)| summary.and_then(|all| all.pointer(place)).cloned().unwrap_or_default()),
        );
        row.push(result.as_ref().map(remark).filter(|text| !text.is_empty()).map_or(Value::Null, |text| json!(text)));
        row
    };
    sweep.runs().zip(results).map(row).collect()
}

/// A value of a key: a number or a boolean if it is one, else a text.
fn plain(text: &str) -> Value {
    match text.parse() {
        Ok(toml::Value::Integer(number)) => json!(number),
        Ok(toml::Value::Float(number)) if number.is_finite() => json!(number),
        Ok(toml::Value::Boolean(truth)) => json!(truth),
        _ => json!(text),
    }
}

fn status(result: &Option<RunResult>) -> &'static str {
    match result.as_ref().map(|result| result.status) {
        None => "missing",
        Some(Status::Done) => "done",
        Some(Status::Failed) => "failed",
    }
}

/// One number of a result, if it is there.
pub fn number(result: &RunResult, column: &str) -> Option<f64> {
    let place = COLUMNS.iter().find(|(name, _)| *name == column)?.1;
    result.summary.pointer(place)?.as_f64()
}

/// Warnings of a run that ended: its figures cannot be true.
pub fn warnings(result: &RunResult) -> impl Iterator<Item = &str> {
    result.summary.get("warnings").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Why it failed, or its warnings.
fn remark(result: &RunResult) -> String {
    if result.reason.is_empty() { warnings(result).collect::<Vec<_>>().join("; ") } else { result.reason.clone() }
}

/// The last part of a key, or all of it where two keys end alike.
pub fn short_name(vary: &[Vary], k: usize) -> &str {
    let last = |path: &'_ str| path.rfind('.').map_or(0, |at| at + 1);
    let name = |one: &Vary| one.path[last(&one.path)..].to_owned();
    let is_alone = vary.iter().filter(|one| name(one) == name(&vary[k])).count() == 1;
    if is_alone { &vary[k].path[last(&vary[k].path)..] } else { &vary[k].path }
}

/// Combinations with repeats that did not end in the same bits, which they must: the numbers of their runs.
pub fn unequal_repeats(sweep: &Sweep, results: &[Option<RunResult>]) -> Vec<(usize, usize)> {
    let hash = |result: &Option<RunResult>| result.as_ref().and_then(|one| one.summary.get("state_hash").cloned());
    let groups = results.chunks(sweep.plan.repeat).enumerate();
    groups
        .filter_map(|(k, group)| {
            let first = k * sweep.plan.repeat + 1;
            let mut known = group.iter().enumerate().filter_map(|(at, result)| Some((first + at, hash(result)?)));
            let (a, expected) = known.next()?;
            known.find(|(_, hash)| *hash != expected).map(|(b, _)| (a, b))
        })
        .collect()
}

fn cell(result: &RunResult, place: &str) -> String {
    match result.summary.pointer(place) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let quoted = |text: &str| {
        let special = text.contains([',', '"', '\n', '\r']);
        if special { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    };
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_quoted_and_unequal_repeats_are_found() {
        let vary = vec![Vary::parse("world.gravity=[0,-9.81,0],[0,-1.62,0]").unwrap()];
        let sweep = Sweep::new("spring-net", &[], vary, 2).unwrap();
        let done = |number: usize, hash: &str| {
            let summary = json!({"steps": 7, "state_hash": hash, "dt": {"min": null}, "energy": {"total": -1.5}});
            Some(RunResult { number, status: Status::Done, reason: String::new(), summary })
        };
        let failed = RunResult {
            number: 2,
            status: Status::Failed,
            reason: "it said \"no\",\nthen died".into(),
            summary: Value::Null,
        };
        let results = [done(1, "aa"), Some(failed), done(3, "bb"), done(4, "cc")];
        assert_eq!(unequal_repeats(&sweep, &results), [(3, 4)]);
        assert_eq!(unequal_repeats(&sweep, &[done(1, "aa"), None, None, None]), []);
        let text = csv(&sweep, &results);
        assert!(text.starts_with("run,repeat,world.gravity,status,time,"), "{text}");
        assert!(text.contains("\n1,1,\"[0, -9.81, 0]\",done,,,7,"), "{text}");
        assert!(text.contains(",\"it said \"\"no\"\",\nthen died\"\n"), "{text}");
        let rows = rows(&sweep, &results);
        assert!(rows.iter().all(|row| row.len() == header(&sweep).len()));
        assert_eq!((&rows[0][2], &rows[0][6]), (&json!("[0, -9.81, 0]"), &json!(7)));
        assert_eq!(number(&done(1, "").unwrap(), "energy_total"), Some(-1.5));
        let mut warned = done(1, "aa").unwrap();
        warned.summary["warnings"] = json!(["it exploded"]);
        assert!(csv(&sweep, &[Some(warned), None, None, None]).contains(",it exploded\n"));
    }

    #[test]
    fn every_column_is_in_a_summary() {
        let sweep = Sweep::new("spring-net", &["time.until=0.001".into()], vec![], 1).unwrap();
        let scene = sweep.scene(&sweep.run(0)).unwrap();
        let simulation = scene.build().unwrap().simulation;
        let summary = serde_json::to_value(crate::summary::Summary::of(&scene, &simulation, 0.0)).unwrap();
        for (name, place) in COLUMNS {
            assert!(summary.pointer(place).is_some(), "{name}");
        }
    }
}
