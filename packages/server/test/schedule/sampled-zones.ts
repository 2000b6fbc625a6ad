import { getZoneModel, listTransitions } from './zone-model.ts'

/**
 * Fifty zones and one year, which takes seconds. The complete form (all zones, ten years, several rules around each change) takes minutes:
 * `SCHEDULE_ZONES=all SCHEDULE_YEARS=10 npm test -- packages/server/test/schedule --testTimeout 600000`,
 * with `SCHEDULE_FROM=2005` for other years and `SCHEDULE_RULES=20` for ten times the rules.
 */
const { SCHEDULE_ZONES = '50', SCHEDULE_FROM = '2025', SCHEDULE_YEARS = '1', SCHEDULE_RULES = '2' } = process.env

/** Zones with unusual rules: half hours, changes at midnight, two changes around Ramadan, a skipped day, no changes. */
const NOTABLE_ZONES = [
  ...['America/New_York', 'Europe/London', 'Europe/Dublin', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Africa/Cairo', 'Asia/Gaza', 'Asia/Beirut'],
  ...['America/Havana', 'America/Santiago', 'America/Asuncion', 'America/St_Johns', 'America/Nuuk', 'America/Scoresbysund', 'Antarctica/Troll'],
  ...[
    'Asia/Kathmandu',
    'Asia/Tehran',
    'Asia/Jerusalem',
    'Atlantic/Azores',
    'Pacific/Apia',
    'Pacific/Chatham',
    'Pacific/Easter',
    'Pacific/Kiritimati',
    'UTC',
  ],
]

export const rulesPerZone = Number(SCHEDULE_RULES)

export const zones: readonly string[] = pickZones()

function pickZones(): string[] {
  const all = Intl.supportedValuesOf('timeZone')
  if (SCHEDULE_ZONES === 'all') return ['UTC', ...all]
  const wanted = Math.max(0, Number(SCHEDULE_ZONES) - NOTABLE_ZONES.length)
  const others = all.filter((zone) => !NOTABLE_ZONES.includes(zone))
  return [...NOTABLE_ZONES, ...Array.from({ length: wanted }, (_, index) => others[Math.floor((index * others.length) / wanted)]!)].slice(
    0,
    Number(SCHEDULE_ZONES),
  )
}

export const firstYear = Number(SCHEDULE_FROM)
export const lastYear = firstYear + Number(SCHEDULE_YEARS)

/** The clock of a zone, with an extra year on each side. */
export const getSampledZoneModel = (zone: string) => getZoneModel(zone, firstYear - 1, lastYear + 1)

/** Ranges of eight days around each change of the clock, and one range without a change. */
export function listTestWindows(zone: string): { from: number; until: number }[] {
  const day = 86_400
  const [from, until] = [Date.UTC(firstYear, 0, 1) / 1000, Date.UTC(lastYear, 0, 1) / 1000]
  const around = listTransitions(getSampledZoneModel(zone)).filter((at) => at >= from && at < until)
  return [...around.map((at) => ({ from: at - 4 * day, until: at + 4 * day })), { from: from + 100 * day, until: from + 108 * day }]
}
