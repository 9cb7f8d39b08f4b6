//! The page's files, inside the binary.

/// Name below the token, type, contents.
const FILES: &[(&str, &str, &str)] = &[
    ("", "text/html", include_str!("../page/index.html")),
    ("style.css", "text/css", include_str!("../page/style.css")),
    ("icon.svg", "image/svg+xml", include_str!("../page/icon.svg")),
    ("main.js", "text/javascript", include_str!("../page/main.js")),
    ("link.js", "text/javascript", include_str!("../page/link.js")),
    ("messages.js", "text/javascript", include_str!("../page/messages.js")),
    ("camera.js", "text/javascript", include_str!("../page/camera.js")),
    ("matrix.js", "text/javascript", include_str!("../page/matrix.js")),
    ("renderer.js", "text/javascript", include_str!("../page/renderer.js")),
    ("shaders.js", "text/javascript", include_str!("../page/shaders.js")),
    ("pointer.js", "text/javascript", include_str!("../page/pointer.js")),
    ("parameters.js", "text/javascript", include_str!("../page/parameters.js")),
    ("changes.js", "text/javascript", include_str!("../page/changes.js")),
    ("rods.js", "text/javascript", include_str!("../page/rods.js")),
    ("skin.js", "text/javascript", include_str!("../page/skin.js")),
    ("solids.js", "text/javascript", include_str!("../page/solids.js")),
    ("plots.js", "text/javascript", include_str!("../page/plots.js")),
];

/// A file's type and contents.
pub fn find(name: &str) -> Option<(&'static str, &'static str)> {
    FILES.iter().find(|(file, ..)| *file == name).map(|(_, kind, text)| (*kind, *text))
}
