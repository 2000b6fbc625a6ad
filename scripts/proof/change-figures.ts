import type { ChangeProblems } from '../../packages/server/test/acknowledged-changes.ts'
import { exactly, type Figure } from './figure.ts'

/** The figures of a comparison between acknowledged changes and the database. */
export function changeFigures(problems: ChangeProblems): Figure[] {
  const { lostRuns, lostStates, doubleRuns, doubleStates, missingEvents, strayEvents, doubleEvents, brokenRuns } = problems
  return [
    exactly('acknowledged writes lost', lostRuns + lostStates, 0),
    exactly('duplicate runs and states', doubleRuns + doubleStates, 0),
    exactly('states without event, events without state, duplicate events', missingEvents + strayEvents + doubleEvents, 0),
    exactly('runs without their current state', brokenRuns, 0),
  ]
}
