import type { Problem } from '../../api/problem.ts'

/** Each fault by the place of its field: `trigger.triggers.0.within`. Several at a place are said together. */
export function faultsByPlace(problem: Pick<Problem, 'faults'> | undefined): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { loc, msg } of problem?.faults ?? []) {
    const place = loc.slice(1).join('.')
    found[place] = found[place] === undefined ? msg : `${found[place]}; ${msg}`
  }
  return found
}
