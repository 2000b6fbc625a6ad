import type { ApiError } from '../../api/api-error.ts'

/** Field errors by path, e.g. `trigger.triggers.0.within`. Several errors of a field are joined. */
export function errorsByPath(problem: Pick<ApiError, 'validationErrors'> | undefined): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { loc, msg } of problem?.validationErrors ?? []) {
    const path = loc.slice(1).join('.')
    found[path] = found[path] === undefined ? msg : `${found[path]}; ${msg}`
  }
  return found
}
