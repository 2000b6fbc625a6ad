/** Where each list ends when they stand one after the other. */
export function endOffsets(lists: readonly (readonly unknown[])[]): Uint32Array {
  let end = 0
  return Uint32Array.from(lists, (list) => {
    end += list.length
    return end
  })
}
