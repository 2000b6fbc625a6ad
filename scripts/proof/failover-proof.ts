/**
 * Proves that nothing acknowledged is lost when the primary of a replicated PostgreSQL dies: `npm run proof:failover`. Needs the Debian packages patroni,
 * etcd-server, haproxy and postgresql, and some minutes. `--kills N` sets the number of kills, `--verbose` prints each step.
 */
import { parseArgs } from 'node:util'
import { proveFailover } from './failover/prove-failover.ts'

const { values } = parseArgs({ options: { kills: { type: 'string', default: '10' }, verbose: { type: 'boolean', default: false } } })
const figures = await proveFailover({ kills: Number(values.kills), report: values.verbose ? (line) => process.stdout.write(`${line}\n`) : undefined })
process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`)
process.exit(figures.passed ? 0 : 1)
