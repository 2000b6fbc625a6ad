import { secondsBetween } from '../../lib/time.ts'
import type { Check, Finding } from '../finding.ts'

/** Leases and schedules tolerate less than this. */
const skewSecondsMax = 2

/** HTTP tells the time in whole seconds. */
const serverSkewSecondsMax = 3

export const clock: Check = {
  name: 'clock',
  summary: 'that the clocks of this machine, the server and the database agree',
  anySchema: true,
  async run({ now, machineNow, server }) {
    const findings: Finding[] = []
    const database = secondsBetween(now, machineNow)
    if (Math.abs(database) > skewSecondsMax) {
      findings.push({
        severity: 'warning',
        what: `The clock of this machine is ${describe(database)} of that of the database.`,
        why: 'Servers follow the database. Clients and workers on this machine send wrong times.',
        fix: 'Synchronize the clocks, for example with chrony or systemd-timesyncd.',
      })
    }
    const skew = server?.skewSeconds ?? 0
    if (Math.abs(skew) > serverSkewSecondsMax) {
      findings.push({
        severity: 'warning',
        what: `The clock of the server ${server?.url} is ${describe(skew)} of that of this machine.`,
        why: 'On SQLite the server decides about schedules and leases by this clock.',
        fix: 'Synchronize the clocks, for example with chrony or systemd-timesyncd.',
      })
    }
    return findings
  },
}

const describe = (seconds: number): string => `${Math.abs(seconds).toFixed(1)} seconds ${seconds > 0 ? 'ahead' : 'behind'}`
