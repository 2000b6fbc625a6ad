/** Width of a bucket relative to its lower edge: percentiles are exact to half of it. */
const bucketRatio = 1.01
const smallestMs = 0.001
const bucketCount = 2200

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Counts latencies in buckets of 1 %, so that memory and cost do not depend on their number. */
export class Histogram {
  count = 0
  readonly #buckets = new Uint32Array(bucketCount)
  #max = 0
  #sum = 0

  record(ms: number): void {
    const bucket = ms <= smallestMs ? 0 : Math.floor(Math.log(ms / smallestMs) / Math.log(bucketRatio))
    const index = Math.min(bucket, bucketCount - 1)
    this.#buckets[index] = (this.#buckets[index] as number) + 1
    this.count += 1
    this.#sum += ms
    if (ms > this.#max) this.#max = ms
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.#sum / this.count
  }

  /** The latency that a share of all values does not exceed. */
  percentile(share: number): number {
    const wanted = Math.max(1, Math.ceil(share * this.count))
    let seen = 0
    for (const [index, count] of this.#buckets.entries()) {
      seen += count
      // The middle of the bucket, but not above the largest value.
      if (seen >= wanted) return Math.min(this.#max, smallestMs * bucketRatio ** (index + 0.5))
    }
    return this.#max
  }

  /** Undefined without values. */
  summary(): Percentiles | undefined {
    if (this.count === 0) return undefined
    return { p50: round(this.percentile(0.5)), p95: round(this.percentile(0.95)), p99: round(this.percentile(0.99)), max: round(this.#max) }
  }
}

/** Three significant digits. */
export const round = (value: number): number => (Number.isFinite(value) ? Number(value.toPrecision(3)) : value)
