const ISO = /^([+-])?P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i
const CLOCK = /^([+-])?(?:(\d+)\s*d(?:ays?)?,?\s*)?(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?$/i
const PLAIN = /^\s*[+-]?\d+(?:\.\d+)?\s*$/

/** Seconds of a duration written as `PT1H30M`, `1 day, 02:00:00`, `01:30:00` or plain seconds; undefined when it is none. */
export function readDuration(text: string): number | undefined {
  if (PLAIN.test(text)) return Number(text)
  const iso = ISO.exec(text)
  if (iso && text.length > 2) {
    const [, sign, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = iso
    return signed(sign, (Number(weeks) * 7 + Number(days)) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
  }
  const clock = CLOCK.exec(text)
  if (!clock) return undefined
  const [, sign, days = 0, hours = 0, minutes = 0, seconds = 0] = clock
  return signed(sign, Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
}

const signed = (sign: string | undefined, seconds: number): number => (sign === '-' ? -seconds : seconds)
