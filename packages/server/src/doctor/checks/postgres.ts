import { statement } from '../../storage/database.ts'
import type { Check, Finding } from '../finding.ts'

const vacuumState = statement(
  `select current_setting('autovacuum') as autovacuum, current_setting('track_counts') as track_counts, age(datfrozenxid) as age,
      current_setting('autovacuum_freeze_max_age')::bigint as freeze_max
    from pg_database where datname = current_database()`,
)
const bloated = statement(
  `select relname as name, n_dead_tup as dead, n_live_tup as live from pg_stat_user_tables
    where schemaname = current_schema() and n_dead_tup > 100000 and n_dead_tup > n_live_tup order by n_dead_tup desc limit 10`,
)
const oldTransactions = statement(
  `select pid, coalesce(usename, '') as name, coalesce(application_name, '') as application, extract(epoch from now() - xact_start)::bigint as seconds
    from pg_stat_activity where datname = current_database() and xact_start < now() - interval '15 minutes' and pid <> pg_backend_pid()
      and backend_type = 'client backend' order by xact_start limit 10`,
)
const preparedTransactions = statement(
  "select gid from pg_prepared_xacts where database = current_database() and prepared < now() - interval '15 minutes' limit 10",
)
const idleSlots = statement(
  `select slot_name as name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint as bytes from pg_replication_slots
    where not active and restart_lsn is not null and pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > 1e9 limit 10`,
)

/** Above this share of the forced vacuum, autovacuum does not keep up. */
const ageShareMax = 1.5

/** The state of a PostgreSQL server that decides whether it stays fast. */
export const postgres: Check = {
  name: 'postgres',
  summary: 'autovacuum, transaction id wraparound, old transactions and replication slots of PostgreSQL',
  anySchema: true,
  async run({ db }) {
    if (db.dialect.name !== 'postgres') return []
    const findings: Finding[] = []
    const state = await db.first<{ autovacuum: string; track_counts: string; age: number; freeze_max: number }>(vacuumState)
    if (state && (state.autovacuum !== 'on' || state.track_counts !== 'on')) {
      findings.push({
        severity: 'error',
        what: `Autovacuum is off (autovacuum = ${state.autovacuum}, track_counts = ${state.track_counts}).`,
        why: 'Tables and indexes grow with every update, and the server stops when transaction ids run out.',
        fix: '`alter system set autovacuum = on`, `alter system set track_counts = on`, then `select pg_reload_conf()`.',
      })
    }
    if (state && Number(state.age) > ageShareMax * Number(state.freeze_max)) {
      findings.push({
        severity: Number(state.age) > 1_500_000_000 ? 'error' : 'warning',
        what: `The oldest transaction id is ${Number(state.age).toLocaleString('en')} transactions old; autovacuum acts at ${Number(state.freeze_max).toLocaleString('en')}.`,
        why: 'PostgreSQL rejects all writes at about 2 billion.',
        fix: '`vacuumdb --all --freeze`, and look for the old transactions and replication slots below.',
      })
    }
    for (const { name, dead, live } of await db.all<{ name: string; dead: number; live: number }>(bloated)) {
      findings.push({
        severity: 'warning',
        what: `The table ${name} has ${Number(dead).toLocaleString('en')} dead rows and ${Number(live).toLocaleString('en')} live ones.`,
        why: 'Scans read the dead rows too.',
        fix: `\`vacuum (analyze) ${name}\`, and a lower autovacuum_vacuum_scale_factor if it returns.`,
      })
    }
    for (const { pid, name, application, seconds } of await db.all<{ pid: number; name: string; application: string; seconds: number }>(
      oldTransactions,
    )) {
      findings.push({
        severity: 'warning',
        what: `A transaction of ${name || 'a user'}${application ? ` (${application})` : ''}, process ${pid}, is open for ${Math.round(Number(seconds) / 60)} minutes.`,
        why: 'Vacuum cannot remove rows that died since.',
        fix: `End it, or \`select pg_terminate_backend(${pid})\`.`,
      })
    }
    for (const { gid } of await db.all<{ gid: string }>(preparedTransactions)) {
      findings.push({
        severity: 'warning',
        what: `The prepared transaction ${gid} is open for more than 15 minutes.`,
        why: 'Vacuum cannot remove rows that died since, and its locks stay.',
        fix: `\`rollback prepared '${gid}'\``,
      })
    }
    for (const { name, bytes } of await db.all<{ name: string; bytes: number }>(idleSlots)) {
      findings.push({
        severity: 'warning',
        what: `The replication slot ${name} is not used and keeps ${Math.round(Number(bytes) / 1e6).toLocaleString('en')} MB of write-ahead log.`,
        why: 'The disk of the database fills.',
        fix: `Start its replica, or \`select pg_drop_replication_slot('${name}')\`.`,
      })
    }
    return findings
  },
}
