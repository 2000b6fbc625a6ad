import { keepNextChapter } from '../events/chapters/keep-chapter.ts'
import type { Service } from './service.ts'

const everySeconds = 10

/** Chapters of one pass at most, half a second's work: 3,000 events a second are kept up with, and who sends more for a while is not held up by it. */
const chaptersMax = 8

/**
 * Puts the event log into chapters, from which filters and counts are answered. What is in none yet is put into one in memory by whoever asks, so that
 * to be late costs time and nothing else. With several servers whoever comes first keeps a chapter.
 * Settings: none but services.enabled. Reports: chapters.
 */
export const eventChapters: Service = {
  name: 'event-chapters',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce(parts, signal) {
    let chapters = 0
    while (chapters < chaptersMax && !signal.aborted && (await keepNextChapter(parts, signal))) chapters += 1
    return { chapters }
  },
}
