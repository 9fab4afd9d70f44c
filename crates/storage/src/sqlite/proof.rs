//! The counts of `prove`, and what an id names.

use std::collections::BTreeMap;

use async_trait::async_trait;
use hearth_contract::clock::UnixMs;
use hearth_contract::id::{DeliveryId, MessageId, TurnId};
use hearth_contract::store::{Named, Proof, Prover, StoreError};
use rusqlite::{Connection, params};

use super::codec::{Columns, StoredId, row_limit, rows};
use super::readers::Readers;
use super::tasks;

/// The fewest digits by which something can be named.
const DIGITS_MIN: usize = 4;

/// The ids that begin with some hexadecimal digits: the first and the last of them. None if it is no beginning.
fn id_range(beginning: &str) -> Option<([u8; 16], [u8; 16])> {
    let digits: Vec<u8> = beginning
        .chars()
        .filter(|character| *character != '-')
        .map(|character| character.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    if !(DIGITS_MIN..=32).contains(&digits.len()) {
        return None;
    }
    let filled = |rest: u8| {
        let mut bytes = [0_u8; 16];
        for (place, byte) in bytes.iter_mut().enumerate() {
            let digit = |index: usize| digits.get(index).copied().unwrap_or(rest);
            *byte = (digit(place * 2) << 4) | digit(place * 2 + 1);
        }
        bytes
    };
    Some((filled(0x0), filled(0xf)))
}

fn named(connection: &Connection, beginning: &str, limit: usize) -> rusqlite::Result<Vec<Named>> {
    let Some((first, last)) = id_range(beginning) else { return Ok(Vec::new()) };
    let key = params![first, last, row_limit(limit)];
    let of = |sql: &str| rows(connection, sql, key, |columns| columns.take::<[u8; 16]>());
    let messages = of("SELECT id FROM messages WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3")?;
    let turns = of("SELECT id FROM turns WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3")?;
    let deliveries = of("SELECT id FROM deliveries WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3")?;
    let mut found: Vec<([u8; 16], Named)> = Vec::new();
    found.extend(messages.into_iter().map(|id| (id, Named::Message(MessageId::from_stored(id)))));
    found.extend(turns.into_iter().map(|id| (id, Named::Turn(TurnId::from_stored(id)))));
    found.extend(deliveries.into_iter().map(|id| (id, Named::Delivery(DeliveryId::from_stored(id)))));
    found.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
    found.truncate(limit);
    Ok(found.into_iter().map(|(_, named)| named).collect())
}

fn counted(columns: &mut Columns<'_, '_>) -> rusqlite::Result<(String, u64)> {
    Ok((columns.take()?, columns.count()?))
}

fn prove(connection: &Connection, since: UnixMs, now: UnixMs) -> rusqlite::Result<Proof> {
    let mut proof = Proof::default();
    let ends = rows(
        connection,
        "SELECT iif(m.end_name IS NOT NULL, m.end_name,
                 iif(m.turn IS NULL OR t.state = 'running' OR EXISTS (SELECT 1 FROM deliveries d
                     WHERE d.turn = m.turn AND d.state IN ('prepared', 'sending')), 'open', '')) AS name,
             count(*)
         FROM messages m LEFT JOIN turns t ON t.id = m.turn AND m.end_name IS NULL
         WHERE m.direction = 'in' AND m.accepted_at >= ?1 GROUP BY name",
        params![since.0],
        counted,
    )?;
    for (name, count) in ends {
        proof.accepted += count;
        let place = match name.as_str() {
            "answered" => &mut proof.answered,
            "joined" => &mut proof.joined,
            "silent" => &mut proof.silent,
            "stale" => &mut proof.stale,
            "cancelled" => &mut proof.cancelled,
            "failed_told" => &mut proof.failed_told,
            "dead_lettered" => &mut proof.dead_lettered,
            "erased" => &mut proof.erased,
            "open" => &mut proof.open,
            _ => &mut proof.unexplained,
        };
        *place += count;
    }
    proof.deliveries = rows(
        connection,
        "SELECT state, count(*) FROM deliveries WHERE created_at >= ?1 GROUP BY state",
        params![since.0],
        counted,
    )?
    .into_iter()
    .collect();
    proof.occurrences = BTreeMap::from_iter(rows(
        connection,
        "SELECT 'fired', count(*) FROM occurrences WHERE due_at >= ?1
         UNION ALL SELECT 'overdue', count(*) FROM schedules WHERE state = 'active' AND next_due_at < ?2",
        params![since.0, now.0],
        counted,
    )?);
    proof.tasks = rows(connection, tasks::PROOF, params![since.0], counted)?.into_iter().collect();
    Ok(proof)
}

#[async_trait]
impl Prover for Readers {
    async fn named(&self, beginning: &str, limit: usize) -> Result<Vec<Named>, StoreError> {
        let beginning = beginning.to_owned();
        self.read(move |connection| named(connection, &beginning, limit)).await
    }

    async fn prove(&self, since: UnixMs, now: UnixMs) -> Result<Proof, StoreError> {
        self.read(move |connection| prove(connection, since, now)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_a_range_of_ids() {
        let (first, last) = id_range("0193-a").unwrap();
        assert_eq!(first[..4], [0x01, 0x93, 0xa0, 0x00]);
        assert_eq!(last[..4], [0x01, 0x93, 0xaf, 0xff]);
        let id = MessageId::new();
        assert_eq!(id_range(&id.to_string()), Some((id.stored(), id.stored())));
    }

    #[test]
    fn what_is_no_beginning_names_nothing() {
        for beginning in ["", "019", "--01-9", "wxyz", "0193a\u{ff10}", &"0".repeat(33)] {
            assert_eq!(id_range(beginning), None, "{beginning}");
        }
    }
}
