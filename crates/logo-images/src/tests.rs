use crate::convert::convert;
use florin_domain::merchant::{LOGO_SIDE, LogoRefusal};
use image::{DynamicImage, ImageFormat, Luma, Rgb, RgbImage, Rgba, RgbaImage};
use std::io::Cursor;

const RED: Rgba<u8> = Rgba([255, 0, 0, 255]);
const BLUE: Rgba<u8> = Rgba([0, 0, 255, 255]);
const TRANSPARENT: Rgba<u8> = Rgba([0; 4]);

fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// An image whose upper half is red and whose lower half is blue.
fn two_colours(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |_, y| if y < height / 2 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) }).into()
}

fn converted(file: &[u8]) -> RgbaImage {
    let png = convert(file).unwrap();
    let logo = image::load_from_memory_with_format(&png, ImageFormat::Png).unwrap();
    assert_eq!((logo.width(), logo.height(), logo.color()), (LOGO_SIDE, LOGO_SIDE, image::ColorType::Rgba8));
    logo.into_rgba8()
}

fn refusal(file: &[u8]) -> LogoRefusal {
    convert(file).unwrap_err()
}

fn near(one: Rgba<u8>, other: Rgba<u8>) -> bool {
    one.0.iter().zip(other.0).all(|(one, other)| one.abs_diff(other) <= 4)
}

#[test]
fn every_format_is_fitted_with_transparent_margins() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        for (width, height) in [(512, 256), (1_200, 600), (2_400, 1_200)] {
            let logo = converted(&file(&two_colours(width, height), format));
            for (y, expected) in [
                (0, TRANSPARENT),
                (127, TRANSPARENT),
                (132, RED),
                (250, RED),
                (262, BLUE),
                (380, BLUE),
                (384, TRANSPARENT),
            ] {
                for x in [0, 255, 511] {
                    let found = *logo.get_pixel(x, y);
                    assert!(near(found, expected), "{format:?} {width}: {found:?} at {x}, {y}");
                }
            }
        }
    }
}

#[test]
fn pixels_of_every_kind_are_read() {
    let centre = |image: DynamicImage| *converted(&file(&image, ImageFormat::Png)).get_pixel(255, 255);
    let image = DynamicImage::ImageLuma8(image::ImageBuffer::from_pixel(256, 256, Luma([99])));
    for image in [
        image.clone(),
        image.to_luma_alpha8().into(),
        image.to_luma16().into(),
        image.to_luma_alpha16().into(),
        image.to_rgb8().into(),
        image.to_rgba8().into(),
        image.to_rgb16().into(),
        image.to_rgba16().into(),
    ] {
        let kind = image.color();
        assert_eq!(centre(image), Rgba([99, 99, 99, 255]), "{kind:?}");
    }
}

#[test]
fn the_colour_of_transparent_pixels_does_not_shine_through() {
    let stripes = |x: u32| if (x / 8).is_multiple_of(2) { RED } else { Rgba([0, 255, 0, 0]) };
    for image in [
        DynamicImage::ImageRgba8(RgbaImage::from_fn(1_000, 1_000, |x, _| stripes(x))),
        DynamicImage::ImageRgba8(RgbaImage::from_fn(1_000, 1_000, |x, _| stripes(x))).to_rgba16().into(),
    ] {
        let logo = converted(&file(&image, ImageFormat::Png));
        assert!(logo.pixels().all(|pixel| pixel.0[1] == 0), "{:?}", image.color());
        assert!(logo.pixels().any(|pixel| pixel.0[3] == 255) && logo.pixels().any(|pixel| pixel.0[3] == 0));
        assert!(logo.pixels().any(|pixel| (20..235).contains(&pixel.0[3]) && pixel.0[0] > 250), "a soft edge is red");
    }
}

/// Adds EXIF metadata with an orientation to a JPEG.
fn turned(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let tiff = [b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".as_slice(), &[orientation], &[0; 7]].concat();
    let segment = [b"Exif\0\0".as_slice(), &tiff].concat();
    let length = u16::try_from(segment.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &segment, &jpeg[2..]].concat()
}

#[test]
fn the_orientation_is_applied() {
    let jpeg = file(&two_colours(600, 300), ImageFormat::Jpeg);
    // For each orientation, a point that is red and a point that is blue after it was applied. The orientations are
    // upright, upside down, and rotated by 90 degrees in both directions.
    for (orientation, red, blue) in [
        (1, (255, 190), (255, 320)),
        (3, (255, 320), (255, 190)),
        (6, (320, 255), (190, 255)),
        (8, (190, 255), (320, 255)),
    ] {
        let logo = converted(&turned(&jpeg, orientation));
        let at = |(x, y)| *logo.get_pixel(x, y);
        assert!(near(at(red), RED) && near(at(blue), BLUE), "{orientation}: {:?} {:?}", at(red), at(blue));
        let is_upright = orientation < 5;
        assert_eq!(
            (at((10, 255)) == TRANSPARENT, at((255, 10)) == TRANSPARENT),
            (!is_upright, is_upright),
            "{orientation}"
        );
    }
}

#[test]
fn incomplete_files_are_unreadable() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let complete = file(&two_colours(300, 300), format);
        for length in [16, 40, complete.len() / 2, complete.len() - 20] {
            assert_eq!(refusal(&complete[..length]), LogoRefusal::Unreadable, "{format:?} {length}");
        }
    }
    let jpeg = file(&two_colours(300, 300), ImageFormat::Jpeg);
    let thumbnail = [b"Thumbnail\xff\xd8\xff\xd9".as_slice(), &[0; 9]].concat();
    let segment = [&[0xff, 0xe2, 0, 24], thumbnail.as_slice()].concat();
    let cut = [&jpeg[..2], &segment, &jpeg[2..jpeg.len() - 2]].concat();
    assert_eq!(refusal(&cut), LogoRefusal::Unreadable, "the end of a thumbnail is not that of the image");
}

#[test]
fn the_header_decides_before_anything_is_decoded() {
    // A PNG whose header claims 60,000 x 60,000 pixels of 8 bytes.
    let mut huge = file(&RgbaImage::new(256, 256).into(), ImageFormat::Png);
    huge.splice(16..24, [0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    huge[24] = 16;
    let crc = crc(&huge[12..29]);
    huge.splice(29..33, crc.to_be_bytes());
    assert_eq!(refusal(&huge), LogoRefusal::TooManyPixels(60_000, 60_000));
    let mut jpeg = file(&two_colours(300, 300), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    jpeg.splice(frame + 5..frame + 9, [0xea, 0x60, 0xea, 0x60]);
    assert_eq!(refusal(&jpeg), LogoRefusal::TooManyPixels(60_000, 60_000));
    let small = file(&two_colours(255, 4_000), ImageFormat::WebP);
    assert_eq!(refusal(&small), LogoRefusal::TooSmall(255, 4_000));
}

/// The checksum of a chunk of a PNG.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}
