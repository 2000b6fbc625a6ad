/** Runs a PostgreSQL server of its own until Ctrl-C, for working on the server by hand. */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/server/test/postgres/launcher.ts'

const { values } = parseArgs({ options: { durable: { type: 'boolean', default: false } } })
const postgres = await startPostgres({ durable: values.durable })
console.log(await postgres.createDatabase('millrace'))
console.log('PostgreSQL runs, with an empty database of that URL, until Ctrl-C; then all of it is removed.')
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await postgres.stop()
