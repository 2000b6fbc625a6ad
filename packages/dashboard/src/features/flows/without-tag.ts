interface Tagged {
  readonly tag?: string[]
  readonly page?: number
}

/** Removes a tag filter and returns to the first page. */
export const withoutTag =
  (tag: string) =>
  <S extends Tagged>(present: S): S => ({ ...present, page: undefined, tag: present.tag?.filter((each) => each !== tag) })
