//! Pictures that are well formed, small, and say what they should.

use super::*;

fn wave(count: usize) -> Vec<(f64, f64)> {
    (0..count).map(|i| (i as f64 * 1e-3, (i as f64 * 0.37).sin())).collect()
}

/// Crude, but catches tags left open and text that was not escaped.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let tag = tag.split_once('>').expect("a tag ends").0;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{svg}");
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    assert!(open.is_empty());
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn every_combination_is_well_formed() {
    let odd = [(f64::NAN, 1.0), (1.0, f64::INFINITY), (-1.0, -1.0), (0.0, 0.0), (2.0, 3.0), (1e308, 1e-308)];
    for points in [&[][..], &[(1.0, 1.0)], &wave(50), &odd] {
        for bits in 0..8 {
            let mut plot = Plot::new("Ä <b>\"title\" & 'more'\u{1}").x("x <m>").y("y & z").hline(0.5, "level <1>");
            plot = plot.line("a", points).points("b", points).dashed("c", points).line("", points);
            plot = if bits & 1 > 0 { plot.log_x() } else { plot };
            plot = if bits & 2 > 0 { plot.log_y() } else { plot };
            plot = if bits & 4 > 0 { plot.equal_axes().size(1, 1) } else { plot };
            assert_well_formed(&plot.render());
        }
    }
    assert_well_formed(&Plot::new("").render());
}

#[test]
fn large_data_make_small_pictures() {
    let noise: Vec<(f64, f64)> = (0..100_000_u64)
        .map(|i| {
            let hash = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            ((hash >> 40) as f64, (hash & 0xFF_FFFF) as f64)
        })
        .collect();
    let mut plot = Plot::new("noise");
    for name in ["a", "b", "c", "d"] {
        plot = plot.line(name, &noise).points(name, &noise);
    }
    let svg = plot.render();
    assert!(svg.len() < 300_000, "{}", svg.len());
    assert!(Plot::new("wave").line("w", &wave(1_000_000)).render().len() < 120_000);
}

#[test]
fn a_repeated_name_has_one_legend_entry_and_one_colour() {
    let svg = Plot::new("").line("same", &wave(9)).points("same", &wave(9)).line("other", &wave(9)).render();
    assert_eq!(svg.matches(">same<").count(), 1);
    assert!(svg.contains("#0072B2") && svg.contains("#D55E00") && !svg.contains("#009E73"));
}

#[test]
fn the_data_come_back() {
    let csv = Plot::new("").line("a, \"b\"", &[(0.1, f64::NAN)]).hline(2.0, "l").to_csv();
    assert_eq!(csv, "series,x,y\n\"a, \"\"b\"\"\",0.1,NaN\nl,,2.0\n");
}

#[test]
fn names_on_an_axis_and_plots_in_a_row() {
    let names: Vec<String> =
        ["rk4", "a name that is far too long for the place it has got, is it not?"].map(String::from).to_vec();
    let plot = Plot::new("").x_names(names).line("a", &[(0.0, 1.0), (1.0, 2.0)]);
    let svg = plot.render();
    assert!(svg.contains(">rk4<") && svg.contains("…<"), "{svg}");
    let row =
        Plot::render_row(&[plot.clone(), plot.clone().log_x().x_names((0..500).map(|k| k.to_string()).collect())]);
    assert_well_formed(&row);
    assert_eq!(row.matches("<clipPath id=\"c\"").count(), 1, "each plot has a clip of its own");
    assert_eq!(row.matches("<clipPath id=\"c1\"").count(), 1);
}

#[test]
fn what_is_missing_is_marked_where_it_should_be() {
    let values = [(1.0, 5.0), (2.0, 6.0)];
    let (without, with) = (Plot::new("").line("a", &values), Plot::new("").line("a", &values).marks("failed", &[9.0]));
    let svg = with.render();
    assert_well_formed(&svg);
    assert_eq!((svg.matches(">failed<").count(), svg.matches(shapes::MISSING).count()), (1, 3), "{svg}");
    assert!(!without.render().contains(shapes::MISSING));
    assert!(svg.contains(">8<") && !without.render().contains(">8<"), "the axis reaches as far as the marks");
    let alone = Plot::new("").log_y().marks("failed", &[1.0, 2.0]).render();
    assert_well_formed(&alone);
    assert!(alone.contains("no data") && alone.contains(">failed<"), "{alone}");
    let rows = Plot::render_rows(&[with.clone().size(300, 200), with.clone().size(300, 250), with.size(300, 200)], 2);
    assert_well_formed(&rows);
    assert!(rows.contains("viewBox=\"0 0 600 450\"") && rows.contains("translate(0,250)"), "{rows}");
}

#[test]
fn text_is_made_safe() {
    assert_eq!(escape("a<b & \"c\" 'd'\u{7}"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39; ");
}
