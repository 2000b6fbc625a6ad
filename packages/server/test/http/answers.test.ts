import { expect, test } from 'vitest'
import { eachDialect } from '../setup.ts'
import { answerChecker } from './answer-checker.ts'
import { walkRest } from './walk-rest.ts'
import { walkRuns } from './walk-runs.ts'
import { walkWork } from './walk-work.ts'

eachDialect('what the server answers is what the document promises', (setup) => {
  test('for every operation of it', async () => {
    const checker = await answerChecker(await setup())
    await walkRest(checker)
    await walkRuns(checker)
    await walkWork(checker)
    expect([...new Set(checker.differences)]).toEqual([])
    expect(checker.untried()).toEqual([])
  })
})
