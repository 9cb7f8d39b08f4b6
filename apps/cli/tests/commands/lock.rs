//! Only one run writes into a folder at a time; a run that is killed leaves no lock.

use crate::common;

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, command, pliant, stderr, text};

const NET: [&str; 2] = ["run", "spring-net"];

/// Something that works for long, once `sign` is there. It is killed with the test.
struct AtWork(Child);

impl AtWork {
    fn start(arguments: &[&str], sign: &Path) -> Self {
        let mut command = command();
        let child = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let deadline = Instant::now() + Duration::from_secs(60);
        while !sign.exists() {
            assert!(Instant::now() < deadline, "{} never came", sign.display());
            std::thread::sleep(Duration::from_millis(1));
        }
        Self(child)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn refused(arguments: &[&str], out: &Path) {
    let output = pliant(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
    let part = format!("another run is at work in {}: wait until it has ended, or stop it; -o writes", out.display());
    assert!(stderr(&output).contains(&part), "{arguments:?}: {}", stderr(&output));
}

#[test]
fn a_folder_in_use_is_refused_until_its_run_is_gone() {
    let folder = Folder::new("lock");
    for (name, more, sign) in [
        ("plain", &["--until", "1000"][..], "frames/frame_00002.vtu"),
        ("verified", &["--until", "1000", "--error", "1mm"], "tries/01/frames/frame_00002.vtu"),
    ] {
        let out = folder.join(name);
        let at_work = AtWork::start(&[&NET[..], &["-o", text(&out)], more].concat(), &out.join(sign));
        for flags in [&[][..], &["--resume"], &["--force"], &["--error=1mm"], &["--error=1mm", "--resume"]] {
            refused(&[&NET[..], &["-o", text(&out), "--until", "0.1"], flags].concat(), &out);
        }
        refused(&["sweep", "spring-net", "--repeat", "2", "-o", text(&out)], &out);
        let output = pliant(&["verify", text(&out)]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        assert!(stderr(&output).ends_with("wait until it has ended, or stop it\n"), "{name}: {}", stderr(&output));
        assert!(out.join(sign).exists(), "{name}: what is there is not touched");
        drop(at_work);
        let again = pliant(&[&NET[..], &["-o", text(&out), "--until", "0.1", "--force"]].concat());
        assert_eq!(again.status.code(), Some(0), "{name}: a killed run holds nothing: {}", stderr(&again));
        let done = pliant(&[&NET[..], &["-o", text(&out), "--until", "0.1", "--resume"]].concat());
        assert_eq!(done.status.code(), Some(0), "{name}: nor does one that has ended: {}", stderr(&done));
    }
}

#[test]
fn a_report_in_the_making_is_refused() {
    let folder = Folder::new("lock-report");
    let report = folder.join("report");
    let at_work = AtWork::start(&["reproduce", "ropes-score", "-o", text(&report)], &report.join("index.html"));
    refused(&["reproduce", "intro-energy", "-o", text(&report)], &report);
    drop(at_work);
    let output = pliant(&["reproduce", "intro-energy", "-o", text(&report)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
