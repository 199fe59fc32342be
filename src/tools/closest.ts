/**
 * The `count` candidates that are nearest to `name` by edit distance, nearest first; far ones are left out.
 * The order of words does not count: models say get_ticket as often as ticket_get.
 */
export function closest(name: string, candidates: readonly string[], count: number): string[] {
  const wanted = name.slice(0, 64).toLowerCase()
  return candidates
    .map((candidate) => ({
      candidate,
      distance: Math.min(
        distanceTo(wanted, candidate),
        distanceTo(wordsSorted(wanted), wordsSorted(candidate)),
      ),
    }))
    .filter(({ distance, candidate }) => distance <= Math.max(2, candidate.length / 2))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

function wordsSorted(name: string): string {
  return name.split('_').sort().join('_')
}

/** Levenshtein distance, one row at a time. */
function distanceTo(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, inA] of Array.from(a).entries()) {
    let diagonal = i
    let left = i + 1
    row = row.map((above, j) => {
      if (j === 0) return left
      left = Math.min(above + 1, left + 1, diagonal + (inA === b[j - 1] ? 0 : 1))
      diagonal = above
      return left
    })
  }
  return row.at(-1) ?? a.length
}
