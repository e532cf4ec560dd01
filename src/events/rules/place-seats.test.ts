import { expect, test } from 'vitest'
import { placeSeats } from './place-seats.ts'

const seats = ['1', '2', '3']

test.each([
  {
    of: 'a row in its place',
    place: { x: 100, y: 50, step: 20 },
    points: [
      [100, 50, 8],
      [120, 50, 8],
      [140, 50, 8],
    ],
  },
  {
    of: 'fractions, each rounded',
    place: { x: 0.4, y: 9.5, step: 10.4 },
    points: [
      [0, 10, 4],
      [11, 10, 4],
      [21, 10, 4],
    ],
  },
  {
    of: 'a negative step',
    place: { x: 30, y: -7, step: -10 },
    points: [
      [30, -7, 4],
      [20, -7, 4],
      [10, -7, 4],
    ],
  },
  {
    of: 'a step below the unit',
    place: { x: 1.5, y: 2, step: 0.5 },
    points: [
      [2, 2, 1],
      [2, 2, 1],
      [3, 2, 1],
    ],
  },
  { of: 'no step', place: { x: 5, y: 6 }, points: [[5, 6, 0], null, null] },
  { of: 'no x', place: { y: 6, step: 10 }, points: [null, null, null] },
  { of: 'no y', place: { x: 5, step: 10 }, points: [null, null, null] },
  {
    of: 'beyond 32 bits',
    place: { x: 2_147_483_640, y: 0, step: 5 },
    points: [[2_147_483_640, 0, 2], [2_147_483_645, 0, 2], null],
  },
])('the points of $of', ({ place, points }) => {
  const placed = [...placeSeats({ row: 'A', seats, ...place })]
  expect(placed).toEqual(
    points.map((point, index) => ({
      row: 'A',
      number: seats[index],
      point: point === null ? undefined : { x: point[0], y: point[1], r: point[2] },
    })),
  )
})
