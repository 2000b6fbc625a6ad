import type { ApiError } from '../../api/api-error.ts'

/** Field errors by path, e.g. `trigger.triggers.0.within`. Several errors of a field are joined. */
export function errorsByPath(problem: Pick<ApiError, 'validationErrors'> | undefined): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { loc, msg } of problem?.validationErrors ?? []) {
    const place = loc.slice(1).join('.')
    found[place] = found[place] === undefined ? msg : `${found[place]}; ${msg}`
  }
  return found
}
