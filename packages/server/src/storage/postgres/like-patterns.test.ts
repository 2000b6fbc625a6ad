import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'
import { likePattern } from '../dialect.ts'

const piece = fc.constantFrom('otter', 'OTTER', 'heron', 'lynx', '900', '90', 'x', '-', ' ', '%', '_', '.', 'ä', 'İ')
const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''))

eachDialect(
  'patterns',
  (setup) => {
    test('with several words match the same names as without an index', { timeout: 60_000 }, async () => {
      const { reads } = (await setup()).context
      const check = async (names: string[], part: string) => {
        const pattern = likePattern(part)
        const given = sql`(select unnest(${names as never}::text[]) as name) given`
        const select = (condition: unknown) => sql<{ name: string }>`select name from ${given} where ${condition} order by name`.execute(reads.kysely)
        const { rows } = await select(reads.dialect.isLike(sql`given.name`, pattern))
        expect(rows).toEqual((await select(sql`given.name collate "default" ilike ${pattern}`)).rows)
      }
      // The words in another order, and not next to each other.
      await check(['otter-heron', 'heron-otter', 'otter--heron', 'otter-x-heron'], 'otter-heron')
      await check(['otter-heron', 'heron-otter', 'otter--heron', 'otter-x-heron'], 'otter%heron')
      await fc.assert(fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), text, check), { numRuns: 300 })
    })
  },
  ['postgres'],
)
