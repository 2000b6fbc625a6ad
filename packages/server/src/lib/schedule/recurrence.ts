import { InvalidSchedule } from './invalid-schedule.ts'
import { parseRRuleParts, type RRuleDate, type RRuleParts, readRRuleDate } from './rrule-parts.ts'
import { isZoneName } from './zone-names.ts'

/**
 * A recurrence: lines of RRULE, EXRULE, RDATE, EXDATE and DTSTART, separated by white space; a line without a name is an RRULE.
 *
 * All times are wall-clock times in the zone of the schedule. A `Z`, an offset or a TZID is parsed and ignored, as in the reference:
 * a DTSTART of `20310101T090000Z` in a schedule for New York means 9:00 in New York.
 */
export interface Recurrence {
  start: RRuleDate | undefined
  rules: RRuleParts[]
  exceptRules: RRuleParts[]
  dates: number[]
  exceptDates: number[]
}

export const RRULE_CHARACTERS_MAX = 6500

/** The default start of a rule: 2020-01-01, midnight. */
export const DEFAULT_START = 'DTSTART:20200101T000000'

export function parseRecurrence(text: string): Recurrence {
  const invalid = (why: string) =>
    new InvalidSchedule(`The rule ${JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)} is not valid: ${why}.`)
  // Checked first, so that a longer text costs nothing to reject.
  if (text.length > RRULE_CHARACTERS_MAX) throw invalid(`it is longer than ${RRULE_CHARACTERS_MAX} characters`)
  const zoneNames = new Map([...text.matchAll(/TZID=([^:]+):/g)].map(([, name]) => [name!.toUpperCase(), name!]))
  const recurrence: Recurrence = { start: undefined, rules: [], exceptRules: [], dates: [], exceptDates: [] }
  let lists = 0
  for (const line of text.toUpperCase().split(/\s+/).filter(Boolean)) {
    const colon = line.indexOf(':')
    const [name, ...parameters] = colon < 0 ? ['RRULE'] : line.slice(0, colon).split(';')
    const value = line.slice(colon + 1)
    if (name === 'RRULE' || name === 'EXRULE') {
      if (parameters.length > 0) throw invalid(`${name} takes no parameters`)
      // Dates in other lines may have colons. Clients parse rules with Python's dateutil, which rejects them here.
      if (value.includes(':')) throw invalid(`${name} has a second colon; an UNTIL is written as 20310101T093000`)
      recurrence[name === 'RRULE' ? 'rules' : 'exceptRules'].push(parseRRuleParts(value, invalid))
    } else if (name === 'RDATE' || name === 'EXDATE') {
      if (name === 'RDATE' && parameters.some((parameter) => parameter !== 'VALUE=DATE-TIME')) throw invalid('RDATE takes no parameters')
      lists += 1
      for (const { local } of readDates(name, value, parameters)) recurrence[name === 'RDATE' ? 'dates' : 'exceptDates'].push(local)
    } else if (name === 'DTSTART') {
      const dates = readDates(name, value, parameters)
      if (dates.length !== 1) throw invalid('DTSTART must be one date')
      recurrence.start = dates[0]
    } else throw invalid(`${JSON.stringify(name)} is none of RRULE, EXRULE, RDATE, EXDATE and DTSTART`)
  }
  if (recurrence.rules.length + recurrence.exceptRules.length + lists === 0) throw invalid('there is no RRULE in it')
  const { start } = recurrence
  if (start && [...recurrence.rules, ...recurrence.exceptRules].some(({ until }) => until && until.zoned !== start.zoned)) {
    throw invalid('UNTIL must be in UTC when DTSTART has a time zone, and without one when it has none')
  }
  return recurrence

  function readDates(name: string, value: string, parameters: string[]): RRuleDate[] {
    let zoned = false
    if (parameters.filter((parameter) => parameter.startsWith('VALUE=')).length > 1) throw invalid(`${name} has more than one VALUE`)
    for (const parameter of parameters) {
      if (parameter.startsWith('TZID=')) zoned = isZoneName(zoneNames.get(parameter.slice(5)) ?? '')
      else if (parameter !== 'VALUE=DATE-TIME' && parameter !== 'VALUE=DATE') throw invalid(`${name} cannot have ${JSON.stringify(parameter)}`)
    }
    return value.split(',').map((text) => {
      const date = readRRuleDate(text)
      if (!date) throw invalid(`${name} has ${JSON.stringify(text)}, which is not a date`)
      if (zoned && date.zoned) throw invalid(`${name} has two time zones`)
      return { local: date.local, zoned: zoned || date.zoned }
    })
  }
}

/**
 * Adds the default start to a rule without one. A rule whose UNTIL is in UTC stays unchanged, because clients reject that combination.
 */
export function addDefaultStart(text: string): string {
  if (/DTSTART/i.test(text)) return text
  const { rules, exceptRules } = parseRecurrence(text)
  return [...rules, ...exceptRules].some(({ until }) => until?.zoned) ? text : `${DEFAULT_START}\n${text}`
}
