import { expect, test } from 'vitest'
import { emptyPostgres } from '../../test/databases.ts'
import { testClock } from '../../test/setup.ts'
import { migrate, migrationsOf } from './migrate.ts'
import { openPostgres } from './postgres/connect.ts'

test('applies each migration once when several servers start on an empty database together', async () => {
  const names = migrationsOf('postgres').map(({ name }) => name)
  // A race shows up in some rounds only.
  for (let round = 0; round < 5; round += 1) {
    const { url, drop } = await emptyPostgres()
    const pools = Array.from({ length: 4 }, () => openPostgres(url, { poolSize: 1, statementTimeoutSeconds: 60, onError: () => {} }))
    const applied = await Promise.all(pools.map((pool) => migrate(pool, testClock())))
    expect(applied.flat().sort()).toEqual(names)
    for (const pool of pools) await pool.close()
    await drop()
  }
})
