interface Sample {
  readonly position: number
  /** When the primary was asked. Everything that was committed before is at or before the position. */
  readonly askedAt: number
}

/** About ten minutes of measurements, one each second. Of a longer lag only the length is inexact. */
const samplesMax = 600

/**
 * How far a replica is behind, by positions in the log, so that no clocks are compared and an idle primary means no lag: the age of the oldest position of
 * the primary that the replica has not reached.
 */
export class ReplicaLag {
  /** Positions of the primary that the replica has not reached, oldest first. */
  readonly #missing: Sample[] = []
  #latest = 0
  #replayed = 0

  get replayed(): number {
    return this.#replayed
  }

  observePrimary(position: number, askedAt: number): void {
    this.#latest = Math.max(this.#latest, position)
    if (position > Math.max(this.#replayed, this.#missing.at(-1)?.position ?? 0) && this.#missing.length < samplesMax)
      this.#missing.push({ position, askedAt })
  }

  observeReplica(position: number): void {
    // A replica that was rebuilt may be behind its former position.
    this.#replayed = position
    while (this.#missing[0] && this.#missing[0].position <= position) this.#missing.shift()
  }

  seconds(now: number): number {
    const oldest = this.#missing[0]
    return oldest ? Math.max(0, now - oldest.askedAt) : 0
  }

  bytes(): number {
    return Math.max(0, this.#latest - this.#replayed)
  }
}
