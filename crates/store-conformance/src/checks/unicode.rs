//! Checks that every text is returned exactly as stored.

use crate::check::{CheckResult, checks};
use crate::commands::{claim, first, message, purchase, request, stamp, token};
use crate::expect::{expect_new, expect_some, mismatch, replayed, same};
use crate::factory::Handle;
use crate::observe::chain;
use crate::seed_data::{Who, account, bank, client, enrolment, key, parent_of, seed_data};
use florin_domain::access::{Account, AccountGrant};
use florin_domain::address::{Address, UkPostcode};
use florin_domain::card::AcceptorInput;
use florin_domain::card::decide::FirstKind;
use florin_domain::card::decide::FirstMessage;
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::merchant::{CheckoutFilter, CheckoutKind, Locale, ShippingOptions, WebUrl};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::page::PageRequest;
use florin_domain::secret::SealedSecret;
use florin_domain::text::Text;
use florin_ports::{FirstMessageCommand, RecordedBody, RecordedRequest, StoredResponse};
use std::sync::Arc;

checks! {
    "texts.names_round_trip" => names_round_trip,
    "texts.account_ids_round_trip" => account_ids,
    "texts.acceptors_round_trip" => acceptors_round_trip,
    "texts.addresses_and_banks_round_trip" => addresses_and_banks_round_trip,
    "texts.recorded_requests_and_answers_round_trip" => recorded_requests_and_answers_round_trip,
    "texts.secrets_are_any_bytes" => secrets_are_any_bytes,
}

/// Emoji of several code points, right-to-left text, supplementary planes, combining marks (not to be composed),
/// quotes, escapes, line ends, leading and trailing blanks, wildcards and other white space.
pub(super) const TEXTS: [&str; 12] = [
    "👩\u{200d}👩\u{200d}👧 🏴\u{e0067}\u{e0062}\u{e007f}",
    "שלום \u{202e}עולם مرحبا",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎 \u{10ffff}",
    "e\u{301} \u{e9} o\u{308} \u{f6}",
    "it's \"quoted\" `so` ''",
    "back\\slash \\n \\u0041 \\\\",
    "tab\tline\nreturn\r\n",
    "  blanks around  ",
    "% _ * ? [a] $1 ; -- /* {} <b>&amp;",
    "\u{feff}bom \u{a0}nbsp \u{2028}line \u{85}",
    "ＦＵＬＬ ß İ ı ſ ﬁ",
    "\u{1}\u{7f}\u{fffd}",
];

async fn names_round_trip(handle: Handle) -> CheckResult {
    for (number, text) in (0_u8..).zip(TEXTS) {
        let mut named = client(ClientId(crate::seed_data::uuid(1, 1_000 + u128::from(number))), text);
        named.allowed_networks = vec![];
        handle.registry.add_client(named.clone()).await?;
        let clients = handle.registry.clients().await?;
        same("a client", clients.iter().find(|one| one.id == named.id), Some(&named))?;
    }
    let mut data = seed_data(1)?;
    let base = data.accounts[0].clone();
    let seed = &mut data.accounts[0];
    seed.checkouts.clear();
    for (number, text) in (0_u8..).zip(TEXTS) {
        let mut one = base.checkouts[0].clone();
        one.id.0 = crate::seed_data::uuid(8, 50 + u128::from(number));
        one.name = Some(text.into());
        one.return_url = WebUrl::stored(text.into());
        one.locale = Some(Locale::stored(text.into()));
        let dynamic_rates_url = Some(WebUrl::stored(text.into()));
        let shipping = Some(ShippingOptions { collect_address: true, dynamic_rates_url });
        one.kind = CheckoutKind::Shopping { settlement_account: None, shipping };
        seed.checkouts.push(one);
        let mut one = base.batches[1].clone();
        one.id.0 = crate::seed_data::uuid(21, 50 + u128::from(number));
        (one.name, one.orders) = (text.into(), vec![]);
        seed.batches.push(one);
    }
    seed.account.name = TEXTS[0].into();
    seed.budgets[0].budget.name = TEXTS[1].into();
    let expected = seed.clone();
    handle.seeding.seed(data).await?;
    let id = Who::Main.account()?;
    same("the account", handle.accounts.find(&id).await?, Some(expected.account))?;
    same("the budget", &handle.seeding.budgets(&id).await?[0], &expected.budgets[0].budget)?;
    same("the batches", handle.seeding.batches(&id).await?, expected.batches)?;
    let page = handle.checkouts.list(&id, CheckoutFilter::default(), PageRequest::default()).await?;
    let checkouts: Vec<_> = expected.checkouts.into_iter().rev().collect();
    same("the checkouts", page.rows, checkouts)
}

async fn account_ids(handle: Handle) -> CheckResult {
    let base = seed_data(9_500)?;
    handle.registry.add_client(base.clients[0].clone()).await?;
    let ids = [
        "👩\u{200d}👩\u{200d}👧",
        "עולם",
        "e\u{301}",
        "\u{e9}",
        "it's",
        "\\",
        "%",
        " F1",
        &"𠜎".repeat(36),
        "f1",
        "F1",
    ];
    for (number, id) in (0..).zip(ids) {
        let id = AccountId::parse(id)?;
        let expected = Account { id: id.clone(), ..account(Who::Main)? };
        handle.registry.add_account(expected.clone(), parent_of(&expected)?).await?;
        same("the account", handle.accounts.find(&id).await?, Some(expected))?;
        let mut listed = key(Who::Main)?;
        listed.id.0 = crate::seed_data::uuid(4, 100 + number);
        listed.accounts = AccountGrant::Only([id].into());
        let hash = florin_domain::access::KeyHash([u8::try_from(number).unwrap_or(0); 32]);
        handle.registry.add_key(listed.clone(), hash).await?;
        same("the key", expect_some("the key", handle.callers.find(&hash).await?)?.key, listed.into())?;
    }
    same("the number of accounts", handle.registry.accounts().await?.len(), ids.len())
}

async fn acceptors_round_trip(handle: Handle) -> CheckResult {
    handle.seeding.seed(seed_data(9_500)?).await?;
    for (number, text) in (1..).zip(TEXTS) {
        let short: String = text.chars().take(10).collect();
        let acceptor = AcceptorInput {
            mid: Text::parse(short.clone())?,
            name: Some(Text::parse(text.repeat(4).chars().take(255).collect::<String>())?),
            city: Some(Text::parse(text)?),
            state: Some(Text::parse(short.clone())?),
            postal_code: Some(Text::parse(short)?),
            country_code: Some("GBR".into()),
            mcc: Some("0000".into()),
        };
        let expected = acceptor.completed();
        let message = FirstMessage { acceptor: expected.clone(), ..message(FirstKind::Purchase, "1")? };
        let command = first(Who::Main, Who::Main.card(), message, stamp(number))?;
        let done = expect_new(handle.cards.first_message(command).await)?;
        let seen = expect_some("the message", chain(&handle, &Who::Main.account()?, token(number)).await?)?;
        same("the acceptor", &seen.first.acceptor, &expected)?;
        same("the message", seen.first, done)?;
    }
    Ok(())
}

async fn addresses_and_banks_round_trip(handle: Handle) -> CheckResult {
    let postcode = UkPostcode::parse("SW1A1AA")?;
    let address = |text: &str| Address {
        address_line1: text.into(),
        address_line2: text.to_uppercase(),
        address_line3: String::new(),
        city: text.into(),
        postcode: "SW1A1AA".into(),
        county: text.into(),
    };
    let expected: Vec<_> = TEXTS.iter().map(|text| address(text)).collect();
    handle.registry.replace_addresses(expected.clone()).await?;
    same("the addresses", handle.addresses.find(&postcode).await?, expected)?;
    let mut banks = Vec::new();
    for (number, text) in (1..).zip(TEXTS) {
        let mut one = bank(number, text)?;
        one.icon_url = text.into();
        one.supports_refunds = number % 2 == 0;
        banks.push(one);
    }
    handle.registry.replace_banks(banks.clone()).await?;
    banks.sort_by(|one, other| one.name.cmp(&other.name));
    same("the banks", handle.banks.list(PageRequest::default()).await?.rows, banks)
}

async fn recorded_requests_and_answers_round_trip(handle: Handle) -> CheckResult {
    handle.seeding.seed(seed_data(9_500)?).await?;
    let long = TEXTS.concat().repeat(200);
    let texts = TEXTS.iter().copied().chain([long.as_str()]);
    for (number, text) in (1..).zip(texts) {
        let mut claim = claim(Who::Main, &format!("k{number}"), text)?;
        let (path, query) = (text.to_owned(), text.to_owned());
        claim.request = Arc::new(RecordedRequest { path, query, ..request(text) });
        let answer = StoredResponse { status: 299, body: text.into() };
        let stored = answer.clone();
        claim.response = Arc::new(move |_| stored.clone());
        let command = |claim| -> Result<_, crate::check::Failure> {
            Ok(FirstMessageCommand { claim: Some(claim), ..purchase(Who::Main, number, "1")? })
        };
        expect_new(handle.cards.first_message(command(claim.clone())?).await)?;
        same("the answer", replayed(handle.cards.first_message(command(claim.clone())?).await)?, answer)?;
        let mut other = claim.clone();
        Arc::make_mut(&mut other.request).body = RecordedBody::Json(format!("{text} "));
        let first = mismatch(handle.cards.first_message(command(other)?).await)?;
        same("the request", &first, &*claim.request)?;
    }
    Ok(())
}

async fn secrets_are_any_bytes(handle: Handle) -> CheckResult {
    for (place, bytes) in [Vec::new(), (0..=255).collect(), vec![0; 64]].into_iter().enumerate() {
        let mut data = seed_data(1)?;
        let id = AccountId::parse(&format!("S{place}"))?;
        let mut seed = data.accounts.remove(0);
        seed.people = vec![];
        (seed.profile, seed.settlement_accounts, seed.payees) = (None, vec![], vec![]);
        (seed.checkouts, seed.budgets, seed.cards, seed.batches) = (vec![], vec![], vec![], vec![]);
        seed.account.id = id.clone();
        seed.parent = parent_of(&seed.account)?;
        seed.account.client = ClientId(crate::seed_data::uuid(1, 500 + place as u128));
        let expected = TotpEnrolment { account: id.clone(), secret: SealedSecret::new(bytes), ..enrolment(Who::Main)? };
        seed.enrolment = Some(expected.clone());
        let clients = vec![client(seed.account.client, "c")];
        handle.seeding.seed(florin_ports::SeedData { clients, accounts: vec![seed], ..Default::default() }).await?;
        let found = expect_some("the enrolment", handle.mfa.enrolment(&id).await?)?;
        same("the secret", found.secret.as_bytes(), expected.secret.as_bytes())?;
    }
    Ok(())
}
