/** A schedule that cannot be read. The message is for the person who wrote it. */
export class InvalidSchedule extends Error {
  override name = 'BadSchedule'
}
