//! Checks every page in every state and language.
#![expect(clippy::unwrap_used, reason = "a test may stop when its assumptions are wrong")]

mod samples;

use florin_domain::merchant::Colour;
use florin_pages::{Language, Page, Theme, asset, render};
use qrcode::{Color, EcLevel, QrCode};
use samples::{Sample, samples};
use std::collections::BTreeMap;

/// Returns every sample in both languages, with its document.
fn documents() -> Vec<(Sample, String)> {
    let all = Language::ALL.into_iter().flat_map(samples);
    all.map(|sample| {
        let html = render(&sample.frame, &sample.page);
        (sample, html)
    })
    .collect()
}

/// Returns the tags of a document, without angle brackets.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()).collect()
}

/// Returns the non-blank texts between the tags of a document's body.
fn texts(html: &str) -> Vec<&str> {
    let body = html.split_once("<body").unwrap().1;
    let texts = body.split('<').filter_map(|rest| rest.split_once('>')).map(|(_, text)| text.trim());
    texts.filter(|text| !text.is_empty()).collect()
}

#[test]
fn every_page_is_a_whole_document_with_one_heading_and_a_title() {
    let documents = documents();
    assert!(documents.len() > 100, "{}", documents.len());
    for (sample, html) in documents {
        let name = &sample.name;
        let start = format!("<!doctype html>\n<html lang=\"{}\">", sample.frame.language.tag());
        assert!(html.starts_with(&start), "{name}");
        for once in ["<h1", "<main>", "<header>", "<footer>", "<title>"] {
            assert_eq!(html.matches(once).count(), 1, "{name}: {once}");
        }
        assert!(!html.contains("<title> ") && !html.contains("<title>–"), "{name}");
        let mut open = Vec::new();
        for tag in tags(&html) {
            let element = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
            let is_void = tag.ends_with('/') || ["!doctype", "meta", "link", "input", "img", "br"].contains(&element);
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(element), "{name}: </{element}>");
            } else if !is_void {
                open.push(element);
            }
        }
        assert_eq!(open, [""; 0], "{name}");
        assert!(html.len() < 30_000, "{name}: {} bytes", html.len());
    }
}

/// A list that is cut says so, and lists as much as fits.
#[test]
fn lists_are_cut_to_fit() {
    // A part of a sample's name, and the form field of the sample's list.
    let fields = [("found", "found"), ("addresses", "found"), ("rates", "rate"), ("banks", "bankId")];
    let rows = |name: &str, html: &str| {
        let (_, field) = fields.into_iter().find(|(list, _)| name.contains(list)).unwrap();
        html.matches(&format!("<input type=\"radio\" name=\"{field}\"")).count()
    };
    // A sample whose list is cut, and the number of all rows of the list.
    let cut = [("full_found", 100), ("full_rates", 50), ("full_banks", 60), ("full_addresses", 100)];
    let mut checked = 0;
    for (sample, html) in documents() {
        let name = sample.name.as_str();
        if let Some((_, all)) = cut.into_iter().find(|(list, _)| *list == name) {
            let rows = rows(name, &html);
            assert!((3..all).contains(&rows), "{name}: {rows}");
            let (shown, total) = (rows.to_string(), all.to_string());
            let has_both = |text: &&str| {
                let numbers: Vec<_> = text.split(|c: char| !c.is_ascii_digit()).collect();
                numbers.contains(&shown.as_str()) && numbers.contains(&total.as_str())
            };
            assert!(texts(&html).iter().any(has_both), "{name} does not say that it lists {rows} of {all}");
            assert!(html.len() > 26_000, "{name}: only {} bytes", html.len());
            checked += 1;
        } else if ["banks", "summary_rates"].contains(&name) {
            assert_eq!(rows(name, &html), if name == "banks" { 14 } else { 3 }, "{name}");
            checked += 1;
        }
    }
    assert_eq!(checked, (cut.len() + 2) * Language::ALL.len());
}

/// The selected rate is listed even where the list is cut before it.
#[test]
fn a_selected_rate_is_always_listed() {
    let full: Vec<_> = documents().into_iter().filter(|(sample, _)| sample.name == "full_rates").collect();
    assert_eq!(full.len(), Language::ALL.len());
    for (sample, html) in full {
        assert!(html.contains("value=\"50&#38;") && html.matches(" checked>").count() == 1, "{}", sample.name);
    }
}

#[test]
fn ids_are_unique_and_references_exist() {
    for (sample, html) in documents() {
        let values = |attribute: &str| -> Vec<String> {
            let start = format!(" {attribute}=\"");
            html.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        let mut ids = values("id");
        ids.sort();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all, "{}: {ids:?}", sample.name);
        let links = values("href").into_iter().filter_map(|link| link.strip_prefix('#').map(str::to_owned));
        let names = ["for", "aria-describedby", "aria-labelledby"].into_iter().flat_map(values);
        let referred = names.flat_map(|names| names.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for name in referred.chain(links) {
            assert!(ids.contains(&name), "{}: {name}", sample.name);
        }
    }
}

#[test]
fn no_page_needs_more_than_the_policy_allows() {
    for (sample, html) in documents() {
        let name = &sample.name;
        for tag in tags(&html) {
            let lower = tag.to_ascii_lowercase();
            let element = lower.split(' ').next().unwrap();
            assert!(!["script", "style", "iframe", "object", "base"].contains(&element), "{name}: <{tag}>");
            assert!(!lower.contains(" style=") && !lower.contains(" on"), "{name}: <{tag}>");
            assert!(!lower.contains("http-equiv") && !lower.contains("javascript:"), "{name}: <{tag}>");
            if element == "img" || element == "link" {
                assert!(tag.contains("=\"/pay/"), "{name}: <{tag}>");
            }
        }
    }
}

#[test]
fn every_form_that_posts_has_its_token_once() {
    let mut posting_forms = 0;
    for (sample, html) in documents() {
        for form in html.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap()) {
            let tokens = form.matches("<input type=\"hidden\" name=\"formToken\" value=\"token-of-the-form\">").count();
            let posts = form.contains("method=\"post\"");
            assert_eq!(tokens, usize::from(posts), "{}", sample.name);
            assert!(form.contains(" action=\"/pay/0123456789abcdef0123456789abcdef\""), "{}", sample.name);
            assert!(!posts || form.contains(" type=\"submit\" name=\"action\" value=\""), "{}", sample.name);
            posting_forms += usize::from(posts);
        }
    }
    assert!(posting_forms > 40, "{posting_forms}");
}

/// Florin's own texts must not be English on a Welsh page, except words that are marked as English. Texts of merchants,
/// codes and numbers are the same in both languages.
#[test]
fn welsh_pages_are_welsh() {
    let pages_in = |language| samples(language).into_iter().map(|sample| render(&sample.frame, &sample.page));
    let without = |html: &str, from: &str, to: &str| -> String {
        let (first, rest) = html.split_once(from).unwrap_or((html, ""));
        let rest = rest.split(from).map(|part| part.split_once(to).map_or(part, |(_, rest)| rest));
        std::iter::once(first).chain(rest).collect::<Vec<_>>().join("<b>")
    };
    let own_texts = |html: &str| -> Vec<String> {
        let html = without(&without(html, "<bdi>", "</bdi>"), " lang=\"en\">", "</dt>");
        texts(&html).into_iter().map(str::to_owned).collect()
    };
    let same_in_both = ["Florin", "RQ7H2KM4XA"];
    for (english, welsh) in pages_in(Language::English).zip(pages_in(Language::Welsh)) {
        // Names of countries are often the same in both languages.
        let outside_lists = |html: &str| html.split("<option").next().unwrap_or_default().to_owned();
        let welsh = own_texts(&outside_lists(&welsh));
        for text in own_texts(&outside_lists(&english)) {
            let has_words = text.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
            let is_same = has_words && welsh.contains(&text) && !same_in_both.contains(&text.as_str());
            assert!(!is_same, "{text}");
        }
    }
}

/// Returns the variables of the style sheet, in light and in dark mode.
fn palettes() -> [BTreeMap<String, Colour>; 2] {
    let css = str::from_utf8(asset("pages.css").unwrap().bytes).unwrap();
    let block = |from: &str| {
        let lines = css.split_once(from).unwrap().1.split_once('}').unwrap().0.lines();
        let pairs = lines.filter_map(|line| line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": "));
        let colours = pairs.filter_map(|(name, value)| Some((name.to_owned(), Colour::parse(value).ok()?)));
        colours.collect::<BTreeMap<_, _>>()
    };
    let light = block(":root {");
    let mut dark = light.clone();
    dark.extend(block("prefers-color-scheme: dark) {\n  :root {"));
    [light, dark]
}

#[test]
fn the_built_in_palette_is_readable() {
    let pairs = [
        ("ink", ["surface", "tint", "canvas"].as_slice()),
        ("soft", &["surface", "tint"]),
        ("link", &["surface", "tint"]),
        ("field", &["surface"]),
        ("good", &["surface", "good-tint"]),
        ("bad", &["surface", "tint", "bad-tint"]),
        ("wait", &["surface", "wait-tint"]),
    ];
    for palette in palettes() {
        for (text, grounds) in pairs {
            for ground in grounds {
                assert!(palette[text].is_readable_on(palette[*ground]), "{text} on {ground}");
            }
        }
        assert!(Colour::WHITE.is_readable_on(palette["primary"]));
    }
    let [light, _] = palettes();
    assert_eq!((light["primary"], light["canvas"], light["ink"]), (Colour::PRIMARY, Colour::WHITE, Colour::TEXT));
}

#[test]
fn a_theme_is_also_readable_in_dark_mode() {
    let [_, dark] = palettes();
    for primary in ["#000000", "#00703c", "#1d70b8", "#b00020", "#4c2c92", "#767676", "#0000ff"] {
        let name = format!("{}-ffdd00.css", &primary[1..]);
        let theme = Theme::from_file_name(&name).unwrap();
        assert_eq!(theme.file_name(), name);
        let css = theme.css();
        let (light, in_the_dark) = css.split_once("prefers-color-scheme").unwrap();
        assert!(light.contains(&format!("--primary:{primary};--canvas:#ffdd00;--link:{primary}")), "{css}");
        let link = Colour::parse(&in_the_dark.split_once("--link:").unwrap().1[..7]).unwrap();
        for ground in ["surface", "tint"] {
            assert!(link.is_readable_on(dark[ground]), "{primary}: {link} on {ground}");
        }
        assert!(in_the_dark.contains(&format!("--canvas:{}", dark["canvas"])), "{css}");
    }
    assert_eq!(Theme::new(None, Some(Colour::WHITE)), None);
    for wrong in [
        "",
        "1d70b8.css",
        "ffffff-ffffff.css",
        "1d70b8-000000.css",
        "1D70B8-ffffff.css",
        "1d70b8-ffffff",
        "1d70b8-ffffff.css.css",
    ] {
        assert_eq!(Theme::from_file_name(wrong), None, "{wrong}");
    }
}

#[test]
fn pages_refer_to_their_theme_and_to_files_that_exist() {
    for (sample, html) in documents() {
        for name in html.split("\"/pay/assets/").skip(1).map(|rest| rest.split('?').next().unwrap()) {
            assert!(asset(name).is_some(), "{name}");
        }
        let theme = sample.frame.shop.as_ref().and_then(|shop| shop.theme);
        let theme_name = html.split_once("href=\"/pay/theme/").map(|(_, rest)| rest.split('"').next().unwrap());
        assert_eq!(theme_name.and_then(Theme::from_file_name), theme, "{}", sample.name);
    }
    assert_eq!(asset("../Cargo.toml"), None);
}

#[test]
fn errors_are_announced_in_the_title_and_at_the_field() {
    let with_errors = [
        "summary_address_errors",
        "summary_rates_missing",
        "banks_missing",
        "simulated_errors",
        "full_address",
        "full_found",
        "full_rates",
        "full_banks",
    ];
    for (sample, html) in documents() {
        let has_errors = with_errors.contains(&sample.name.as_str()) || sample.name == "simulated_name_too_long";
        let prefix = if sample.frame.language == Language::English { "Error:" } else { "Gwall:" };
        assert_eq!(html.contains(&format!("<title>{prefix} ")), has_errors, "{}", sample.name);
        assert_eq!(html.contains("class=\"errors\""), has_errors, "{}", sample.name);
        if matches!(&sample.page, Page::Problem(_)) {
            assert!(!html.contains("<form"), "{}", sample.name);
        }
    }
}

/// The QR code on the page has exactly the dark modules of a code of its URL, inside a quiet zone of 4 modules.
#[test]
fn the_qr_code_contains_the_url_of_the_page() {
    let mut checked = 0;
    for (sample, html) in documents() {
        let Page::ChooseBank(view) = &sample.page else { continue };
        let Some(url) = &view.phone_url else { continue };
        let svg = html.split_once("<svg class=\"code\"").unwrap().1;
        let path = svg.split_once(" d=\"").unwrap().1.split('"').next().unwrap();
        let code = QrCode::with_error_correction_level(url, EcLevel::M).unwrap();
        let (width, modules) = (code.width(), code.to_colors());
        let mut dark = vec![false; width * width];
        for run in path.split('M').skip(1) {
            let (left, rest) = run.split_once(' ').unwrap();
            let (top, rest) = rest.split_once('h').unwrap();
            let (length, rest) = rest.split_once('v').unwrap();
            assert_eq!(rest, format!("1h-{length}z"), "{}", sample.name);
            let [left, top, length] = [left, top, length].map(|number| number.parse::<usize>().unwrap());
            let start = (top - 4) * width + left - 4;
            dark[start..start + length].fill(true);
        }
        let expected: Vec<_> = modules.iter().map(|module| *module == Color::Dark).collect();
        assert!(dark == expected, "{}: {path}", sample.name);
        let size = width + 8;
        assert!(svg.starts_with(&format!(" viewBox=\"0 0 {size} {size}\"")), "{}", sample.name);
        checked += 1;
    }
    assert!(checked > 2, "{checked}");
}
