/** The counts of a histogram. One of the metrics library hashes its labels at each call, which takes longer than all that is done here. */
export class BucketCounts {
  readonly #bounds: readonly number[]
  /** Values by the first bound that is not below them; the last item counts those above all bounds. */
  readonly #counts: number[]
  #count = 0
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#count += 1
    this.#sum += value
  }

  /** The values of a metric, in the form of the library. The counts of its buckets are cumulative. */
  values(name: string, labels: Readonly<Record<string, string>> = {}): object[] {
    let total = 0
    const buckets = this.#bounds.map((le, index) => {
      total += this.#counts[index] as number
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
    })
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: this.#count },
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: this.#count },
    ]
  }
}
