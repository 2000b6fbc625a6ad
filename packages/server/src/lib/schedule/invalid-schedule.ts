/** A schedule that cannot be parsed. The message is for its author. */
export class InvalidSchedule extends Error {
  override name = 'InvalidSchedule'
}
