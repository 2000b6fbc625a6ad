/**
 * A time of the API with six digits in its fraction. The API leaves out a zero fraction, so that `…:00Z` would sort after `…:00.5Z`; texts with six digits
 * sort like times, and unlike `Date` they keep microseconds.
 */
export const sortableTime = (time: string): string => (time.length === secondsLength ? `${time.slice(0, -1)}.000000Z` : time)

const secondsLength = '2031-02-01T09:30:00Z'.length
