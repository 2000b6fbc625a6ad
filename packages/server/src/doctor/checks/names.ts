import { statement } from '../../storage/database.ts'
import { reblockRunNames } from '../../storage/run-names.ts'
import { type Check, countText, type Finding, repairCommand } from '../finding.ts'

const unindexedBlocks = statement('select count(*) as count from run_name_block where id not in (select rowid from run_name_index)')
/** Reads the name of each run. */
const missingNames = statement(
  `select count(*) as count from flow_run where (id, name) not in (
    select entry.value ->> 0, entry.value ->> 1 from run_name_block, json_each(entries) entry union all select flow_run_id, name from run_name)`,
)

/** The index of names finds all flow runs. */
export const names: Check = {
  name: 'names',
  summary: 'that the index of names finds all flow runs, on SQLite (blocks of names, with --full each name)',
  async run({ db, isFull }) {
    if (db.dialect.isShared) return []
    const count = async (query: typeof missingNames) => (await db.first<{ count: number }>(query))?.count ?? 0
    const blocks = await count(unindexedBlocks)
    const runs = isFull ? await count(missingNames) : 0
    if (blocks === 0 && runs === 0) return []
    const finding: Finding = {
      severity: 'error',
      what: `${countText(blocks, 'block')} of names and the names of ${countText(runs, 'flow run')} are not in the index of names.`,
      why: 'A search for a part of a name does not find these runs. They were probably changed while triggers were disabled.',
      fix: repairCommand,
      repair: {
        title: 'index the names of all flow runs again',
        run: ({ commands }) => commands.submit(reblockRunNames).then(() => 'Indexed the names of all flow runs again.'),
      },
    }
    return [finding]
  },
}
