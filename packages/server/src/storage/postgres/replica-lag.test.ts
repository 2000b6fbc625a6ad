import { expect, test } from 'vitest'
import { ReplicaLag } from './replica-lag.ts'

test('is zero while the replica has every known position', () => {
  const lag = new ReplicaLag()
  lag.observeReplica(100)
  lag.observePrimary(100, 1)
  expect([lag.seconds(50), lag.bytes()]).toEqual([0, 0])
})

test('is the age of the oldest position that the replica lacks', () => {
  const lag = new ReplicaLag()
  lag.observePrimary(100, 1)
  lag.observePrimary(200, 2)
  lag.observePrimary(300, 3)
  lag.observeReplica(150)
  expect([lag.seconds(10), lag.bytes()]).toEqual([8, 150])
  lag.observeReplica(300)
  expect([lag.seconds(10), lag.bytes()]).toEqual([0, 0])
})

test('counts from the first time a position was seen', () => {
  const lag = new ReplicaLag()
  lag.observePrimary(100, 1)
  lag.observePrimary(100, 5)
  expect(lag.seconds(6)).toBe(5)
})

test('keeps a bounded number of positions', () => {
  const lag = new ReplicaLag()
  for (let n = 1; n <= 5000; n += 1) lag.observePrimary(n, n)
  expect(lag.seconds(5000)).toBe(4999)
  lag.observeReplica(5000)
  expect(lag.seconds(5000)).toBe(0)
})
