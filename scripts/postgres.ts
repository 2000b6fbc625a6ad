/** Runs a temporary PostgreSQL server until Ctrl-C, for manual tests. */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/server/test/postgres/launcher.ts'

const { values } = parseArgs({ options: { durable: { type: 'boolean', default: false } } })
const postgres = await startPostgres({ durable: values.durable })
console.log(await postgres.createDatabase('millrace'))
console.log('PostgreSQL is running with an empty database at this URL. Ctrl-C stops it and removes its files.')
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await postgres.stop()
