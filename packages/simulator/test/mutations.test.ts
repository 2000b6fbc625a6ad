import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isFullProof, reportFigures } from '../../server/test/proof-size.ts'
import { allMutations } from '../src/mutations/all-mutations.ts'
import { findMutation } from '../src/mutations/run-mutations.ts'

describe('mutations', () => {
  test.for(allMutations)('$name replaces text that occurs once', ({ edits }) => {
    for (const { file, find, replace } of edits) {
      const source = readFileSync(fileURLToPath(new URL(`../../server/src/${file}`, import.meta.url)), 'utf8')
      expect(source.split(find), file).toHaveLength(2)
      expect(replace).not.toBe(find)
    }
  })

  test.for(allMutations.filter(({ isDaily }) => isDaily || isFullProof))('$name is found: $fault', { timeout: 600_000 }, async (mutation) => {
    const { isFound, line } = await findMutation(mutation)
    reportFigures(`${mutation.name}: ${line}`)
    expect(isFound, line).toBe(true)
  })
})
