//! `pliant view`: a scene in the browser.

use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Args;
use pliant::folder::names;
use pliant::scene::load;
use pliant_viewer::{Options, Server, ServerError};

use crate::words::{Changes, scene_name};
use crate::{Outcome, print_line};

const NOT_OPENED: &str = "no browser could be opened; open the address above yourself";

#[derive(Args)]
pub struct ViewArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(default_value = "spring-net", value_parser = scene_name())]
    scene: String,
    /// First port to try; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 7878)]
    port: u16,
    /// Address to listen on; anything but a loopback address lets other machines in, if they know the token
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Print the address and open no browser
    #[arg(long)]
    no_open: bool,
    /// Change the scene: time.integrator=rk4, springs[0].stiffness="5 kN/m"
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

pub fn view(args: &ViewArgs) -> Outcome {
    point_to_render(Path::new(&args.scene))?;
    let scene = load(&args.scene, &args.set).map_err(|error| Changes::set(&args.set).bad(&error))?;
    let name = scene.name.clone();
    let tell: fn(&str) = |line| tell!("{line}");
    let options = Options { host: args.host, port: args.port, tell: Some(tell), ..Options::default() };
    let server = Server::start(scene, &options).map_err(|error| match error {
        ServerError::Scene(_) => (error.to_string(), 2),
        _ => (error.to_string(), 1),
    })?;
    let address = server.address();
    if let Some(port) = server.port_in_use {
        tell!("port {port} is in use; {} is taken instead", address.socket.port());
    }
    if !address.socket.ip().is_loopback() {
        tell!("warning: listening on {}; anyone with the address below can drive the simulation", address.socket);
    }
    let url = address.url();
    print_line(&format!("{name}: {url}"))?;
    if !args.no_open {
        // Some openers return only when the browser ends.
        let opening = move || {
            if !open(&url) {
                tell!("{NOT_OPENED}");
            }
        };
        if std::thread::Builder::new().spawn(opening).is_err() {
            tell!("{NOT_OPENED}");
        }
    }
    tell!("Ctrl-C ends the viewer");
    server.wait();
    Ok(())
}

/// Points to `pliant render` where the argument is a result: the viewer computes it again.
fn point_to_render(given: &Path) -> Outcome {
    let folder = match given.parent() {
        _ if given.is_dir() => given,
        Some(parent) if given.ends_with(names::SCENE) && parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) if given.ends_with(names::SCENE) => parent,
        _ => return Ok(()),
    };
    if ![names::STATS, names::SCENE].iter().all(|name| folder.join(name).exists()) {
        return Ok(());
    }
    let (shown, scene) = (folder.display(), folder.join(names::SCENE));
    let draw = format!("`pliant render {shown} -o result.gif` draws what was computed");
    if given.is_dir() {
        return Err((format!("{shown} is a result: {draw}; `pliant view {}` computes it again", scene.display()), 2));
    }
    tell!("the scene of a result is computed again; {draw}");
    Ok(())
}

/// Asks the system to open an address; returns whether it could.
fn open(url: &str) -> bool {
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let graphical = cfg!(any(target_os = "macos", target_os = "windows"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].iter().any(|name| std::env::var_os(name).is_some());
    if !graphical {
        return false;
    }
    let mut command = Command::new(program);
    command.args(first).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
