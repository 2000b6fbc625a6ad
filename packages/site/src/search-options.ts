/** What MiniSearch takes besides its defaults. Only data: functions would need `unsafe-eval` in the browser. */
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  /** `title` is the heading of a section, `titles` are those above it. */
  boost: { title: 6, titles: 2, text: 1 },
}
