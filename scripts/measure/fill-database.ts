/**
 * Creates a database with many runs, for measurements of growth:
 *   npm run fill-database -- --database URL --runs 1000000 --task-runs 10000000 --logs 10000000
 */
import { parseArgs } from 'node:util'
import { fillDatabase } from '../../packages/server/test/fill-database.ts'
import { openDatabasePool } from '../../packages/server/test/open-pool.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    runs: { type: 'string', default: '200000' },
    'task-runs': { type: 'string', default: '2000000' },
    logs: { type: 'string', default: '2000000' },
    days: { type: 'string', default: '90' },
  },
})
if (values.database === undefined) {
  console.error('Missing option: --database URL (sqlite:PATH or postgres://…)')
  process.exit(2)
}
const started = Date.now()
const pool = await openDatabasePool(values.database)
try {
  await fillDatabase(pool, {
    runs: Number(values.runs),
    taskRuns: Number(values['task-runs']),
    logs: Number(values.logs),
    days: Number(values.days),
    now: Date.now() * 1000,
    onProgress: (table, rows) => console.log(`${((Date.now() - started) / 1000).toFixed(0).padStart(5)} s  ${table} ${rows}`),
  })
} finally {
  await pool.close()
}
console.log(`Filled in ${((Date.now() - started) / 1000).toFixed(0)} s.`)
