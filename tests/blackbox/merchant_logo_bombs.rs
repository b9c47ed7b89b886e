//! Images with the size of a logo that need gigabytes of memory to decode.

use crate::support::logo::{png, set_logo};
use crate::support::worlds::empty_world;
use crate::support::{Answer, Client, expect_fault, expect_json, shared};

/// Writes numbers with a given number of bits, the lowest bit first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: usize,
}

impl Bits {
    fn put(&mut self, number: u32, bits: usize) -> &mut Self {
        for bit in 0..bits {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let last = self.bytes.len() - 1;
            self.bytes[last] |= u8::from(number >> bit & 1 == 1) << (self.used % 8);
            self.used += 1;
        }
        self
    }

    /// Writes a prefix code with the single symbol `symbol`, which is then encoded in no bits.
    fn only(&mut self, symbol: u32) -> &mut Self {
        let bits = if symbol > 1 { 8 } else { 1 };
        self.put(1, 1).put(0, 1).put(u32::from(bits == 8), 1).put(symbol, bits)
    }
}

/// Returns a chunk of a WebP.
fn riff(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_le_bytes();
    [kind.as_slice(), &length, data, &vec![0; data.len() % 2]].concat()
}

/// A lossless WebP of 256 x 256 pixels with 65,536 groups of prefix codes. Each takes 10 bytes of the file, and more
/// than 50 kB of the decoder's memory.
fn many_codes() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(0x2f, 8).put(255, 14).put(255, 14).put(0, 1).put(0, 3);
    // No transform; a colour cache of 11 bits; groups for blocks of 4 x 4 pixels.
    bits.put(0, 1).put(1, 1).put(11, 4).put(1, 1).put(0, 3);
    // The image of the groups: every block has group 0xffff (green is the low byte, red the high one).
    bits.put(0, 1).only(255).only(255).only(0).only(0).only(0);
    for _ in 0..65_536 {
        // 2,046 symbols with codes of 11 bits. 11 is the only code length, so the code of this code length takes no
        // bits. The 11 is the 15th in the format's order of code lengths.
        bits.put(0, 1).put(11, 4);
        for _ in 0..14 {
            bits.put(0, 3);
        }
        bits.put(1, 3).put(1, 1).put(5, 3).put(2_046, 12);
        bits.only(0).only(0).only(0).only(0);
    }
    riff(*b"RIFF", &[b"WEBP".to_vec(), riff(*b"VP8L", &bits.bytes)].concat())
}

/// Returns a WebP with a chunk of metadata that claims to have almost 4 GiB.
fn endless_metadata() -> Vec<u8> {
    let side = [255, 0, 0];
    let header = [&[8, 0, 0, 0], side.as_slice(), &side].concat();
    let mut bits = Bits::default();
    bits.put(0x2f, 8).put(255, 14).put(255, 14).put(0, 1).put(0, 3).put(0, 1).put(0, 1).put(0, 1);
    bits.only(0).only(0).only(0).only(0).only(0);
    let exif = [b"EXIF".as_slice(), &0xf000_0000_u32.to_le_bytes(), &[0; 16]].concat();
    let body = [riff(*b"VP8X", &header), riff(*b"VP8L", &bits.bytes), exif].concat();
    [b"RIFF".as_slice(), &0xffff_ff00_u32.to_le_bytes(), b"WEBP", &body].concat()
}

/// Uploads a file, and then a valid logo, which must be accepted. Returns the answer to the file.
fn upload(client: &Client, file: &[u8]) -> Answer {
    let answer = set_logo(client, file);
    expect_json(&set_logo(client, &png()), 200);
    answer
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "only Linux limits the address space")]
fn an_image_cannot_take_more_memory_than_its_process_may() {
    let client = empty_world(shared());
    let codes = many_codes();
    assert!(codes.len() < 1024 * 1024, "{} bytes", codes.len());
    for file in [codes, endless_metadata()] {
        let fault = expect_fault(&upload(&client, &file), 413, "body.file", "payload_too_large");
        assert!(fault.message.contains("too much memory or time"), "{}", fault.message);
    }
}
