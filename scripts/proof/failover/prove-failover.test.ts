import { expect, test } from 'vitest'
import { missingPatroniPackages } from '../../../packages/server/test/postgres/patroni.ts'
import { isFullProof, reportFigures } from '../../../packages/server/test/proof-size.ts'
import { proveFailover } from './prove-failover.ts'

const missing = missingPatroniPackages()

test.skipIf(missing)(
  `nothing acknowledged is lost when the primary of PostgreSQL dies${missing ? ` (${missing})` : ''}`,
  { timeout: 900_000 },
  async () => {
    const figures = await proveFailover({ kills: isFullProof ? 10 : 1, others: isFullProof, recoverySecondsMax: isFullProof ? 10 : 30 })
    reportFigures(JSON.stringify(figures, undefined, 2))
    expect(figures).toMatchObject({ passed: true })
  },
)
