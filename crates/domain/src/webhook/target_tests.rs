//! Tests of the rules about URLs and addresses of receivers.

use super::*;
use crate::access::Environment::{self, Production, Sandbox};
use crate::fault::FlawCode;
use proptest::prelude::*;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

fn policy(environment: Environment) -> TargetPolicy {
    TargetPolicy::new(environment, Vec::new())
}

fn refused(environment: Environment, url: &str) -> FlawCode {
    WebhookUrl::parse(url, &policy(environment)).expect_err(url).code
}

/// URLs that both environments refuse, whatever their host names resolve to.
const HOSTILE: [&str; 46] = [
    "https://10.0.0.1/",
    "https://192.168.1.1:8443/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.100.100.200/",
    "https://0.0.0.0/",
    "https://0/",
    "https://8.8.8.8/",
    "https://134744072/",
    "https://0x08080808/",
    "https://010.010.010.010/",
    "https://0x8.8.010.8/",
    "https://8.8.2056/",
    "https://167772161/",
    "https://0x0a000001/",
    "https://012.0.0.1/",
    "https://2852039166/",
    "https://0xA9FEA9FE/",
    "https://0251.0376.0251.0376/",
    "https://169.254.43518/",
    "https://%31%30.0.0.1/",
    "https://10.0.0.1./",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://[fe80::1]/",
    "https://[fd00:ec2::254]/",
    "https://[2606:4700::1111]/",
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://:@example.com/",
    "https://@example.com/",
    "https://example.com@127.0.0.1:9000/",
    "https://example.com/#",
    "https://example.com/#fragment",
    "https://example.com:22/",
    "https://example.com:0/",
    "https://example.com:1023/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "javascript:alert(1)",
];

#[test]
fn hostile_urls_are_refused_in_both_environments() {
    for url in HOSTILE {
        refused(Sandbox, url);
        refused(Production, url);
    }
}

#[test]
fn texts_that_parsers_read_differently_are_malformed() {
    for text in [
        "",
        "example.com",
        "https:example.com",
        "https:/example.com",
        "https:///example.com",
        "https:\\\\example.com",
        "https://example.com\\@10.0.0.1/",
        "https://exa\tmple.com/",
        "https://example.com/a b",
        " https://example.com/",
        "https://example.com/\u{0}",
        "https://exämple.com/",
        "https://127。0。0。1/",
        "https://①②⑦.⓪.⓪.①/",
        "https://",
        "https://?",
        "https://example.com:65536/",
        "https://[::1/",
        "https://1.2.3.4.5/",
        "https://256.1.1.1/",
    ] {
        for environment in [Sandbox, Production] {
            assert_eq!(refused(environment, text), FlawCode::InvalidFormat, "{text:?}");
        }
    }
    assert_eq!(refused(Sandbox, &format!("https://example.com/{}", "x".repeat(493))), FlawCode::TooLong);
    assert!(WebhookUrl::parse(&format!("https://example.com/{}", "x".repeat(492)), &policy(Sandbox)).is_ok());
}

#[test]
fn the_sandbox_also_takes_http_and_loopback() {
    for url in [
        "http://example.com/",
        "http://127.0.0.1:9000/hook?x=1",
        "http://127.8.8.8:9000/",
        "http://[::1]:9000/",
        "http://localhost:9000/",
        "http://0x7f000001:9000/",
        "http://2130706433:9000/",
    ] {
        assert!(WebhookUrl::parse(url, &policy(Sandbox)).is_ok(), "{url}");
        refused(Production, url);
    }
    refused(Production, "https://127.0.0.1/");
    refused(Production, "https://example.com:80/");
    for url in ["https://example.com", "https://example.com:443/a", "https://example.com:1024/", "HTTPS://Example.com/"]
    {
        assert_eq!(WebhookUrl::parse(url, &policy(Production)).unwrap().as_str(), url);
    }
}

#[test]
fn addresses_that_are_not_global_are_refused() {
    for address in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.0.1",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:8.8.8.8",
        "::ffff:127.0.0.1",
        "::8.8.8.8",
        "64:ff9b::8.8.8.8",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:10::1",
        "2001:db8::1",
        "2002:808:808::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        let address = address.parse().unwrap();
        assert!(!is_global(address), "{address}");
        assert!(!policy(Production).permits(address), "{address}");
    }
    for address in [
        "8.8.8.8",
        "1.1.1.1",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.0.1",
        "172.32.0.1",
        "192.169.0.1",
        "198.17.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "2a00:1450::1",
        "2001:200::1",
    ] {
        assert!(is_global(address.parse().unwrap()), "{address}");
    }
}

#[test]
fn operators_allow_networks_in_either_environment() {
    let allowed = vec!["172.18.0.0/16".parse().unwrap(), "fd12::/16".parse().unwrap()];
    for environment in [Sandbox, Production] {
        let policy = TargetPolicy::new(environment, allowed.clone());
        assert!(policy.permits("172.18.3.4".parse().unwrap()) && policy.permits("fd12::9".parse().unwrap()));
        assert!(!policy.permits("172.19.0.1".parse().unwrap()) && !policy.permits("fd13::9".parse().unwrap()));
        assert!(!policy.permits("::ffff:172.18.3.4".parse().unwrap()));
        assert_eq!(policy.permits("127.0.0.1".parse().unwrap()), environment == Sandbox);
        assert_eq!(policy.permits("::1".parse().unwrap()), environment == Sandbox);
        assert!(WebhookUrl::parse("https://172.18.3.4/", &policy).is_err());
    }
}

proptest! {
    #[test]
    fn embedded_addresses_are_never_reached(v4: u32, prefix in 0_usize..4) {
        let v4 = Ipv4Addr::from(v4);
        let [a, b, c, d] = v4.octets().map(u128::from);
        let bits = (a << 24) | (b << 16) | (c << 8) | d;
        let address = [bits, bits | 0xffff << 32, bits | 0x64_ff9b << 96, 0x2002 << 112 | bits << 80][prefix];
        prop_assert!(!is_global(IpAddr::V6(Ipv6Addr::from(address))));
    }

    #[test]
    fn special_addresses_of_the_standard_library_are_refused(bits: u32) {
        let v4 = Ipv4Addr::from(bits);
        let known = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast() || v4.is_broadcast()
            || v4.is_documentation() || v4.is_unspecified();
        prop_assert!(!(known && is_global(IpAddr::V4(v4))));
    }

    #[test]
    fn no_text_panics_and_accepted_urls_stay_unchanged(text in "(https?:)?//?[\\PC]{0,40}") {
        for environment in [Sandbox, Production] {
            if let Ok(url) = WebhookUrl::parse(&text, &policy(environment)) {
                prop_assert_eq!(url.as_str(), text.as_str());
            }
        }
    }
}

#[test]
fn operators_see_no_secrets_of_a_url() {
    for (url, masked) in [
        ("https://example.com", "https://example.com"),
        ("https://example.com/", "https://example.com"),
        ("https://example.com:8443/hooks/T0/secret?key=secret", "https://example.com:8443/…"),
        ("https://example.com?key=secret", "https://example.com/…"),
        ("http://[::1]:9000/?secret", "http://[::1]:9000/…"),
    ] {
        assert_eq!(WebhookUrl::stored(url.into()).masked(), masked);
    }
}
