import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as mupdf from 'mupdf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { makeEntry, makeHeld, makeOrder, makeSetEntry, STANDING } from '../../../tests/support/sale.ts'
import type { EventEntry } from '../../events/event-entry.ts'
import { createRenderer } from './renderer.ts'
import { ticketSheets, type Lang, type SoldOrder, type TicketSheet } from './ticket-sheet.ts'

const renderer = createRenderer()
afterAll(() => renderer.close())

beforeAll(async () => {
  // The wasm is the package's own: nothing is fetched.
  const wasm = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true })
})

const { org, venue } = makeEntry()
const name = { default: 'Moscow', en: 'Moscow', ru: 'Москва' }

const EVENT = makeEntry({
  title: { text: 'Лебединое озеро & Swan Lake', desc: '' },
  // 19:30 in Moscow, the day before in Honolulu.
  lifetime: { start: Date.UTC(2026, 11, 31, 16, 30), finish: Date.UTC(2026, 11, 31, 19) },
  ticket_template: {
    name: 'Зимний сезон',
    text_color: '#fc0',
    fan_cover_url: 'http://127.0.0.1:1/cover.png',
  },
  venue: {
    ...venue,
    name: 'Большой театр',
    address: 'Театральная площадь, 1',
    city: { ...venue.city, name },
  },
  org: {
    ...org,
    legal_detail: {
      name: 'ООО «Ромашка»',
      inn: '7701234567',
      ogrn: '1027700132195',
      address: '125009, ул. Тверская, д. 1',
    },
  },
  sectors: [{ id: 'hall', name: 'Партер', with_seats: true }],
  sets: [makeSetEntry(STANDING, { name: 'Входной' })],
})

const ORDER: SoldOrder = {
  ...makeOrder({
    tickets: [
      makeHeld(1, { barcode: '10007123456789012', seat: { sector: 'hall', row: '12А', number: '7' } }),
      makeHeld(42, { barcode: '42774999999999999', serial: 'XYZ', extra: 0 }),
    ],
  }),
  code: 'a1b2c3d4',
}

type Page = { text: string; image: Uint8Array }

async function render(sheets: readonly TicketSheet[]): Promise<{ pages: Page[]; title: string | undefined }> {
  const pdf = await renderer.render(sheets, { title: 'Tickets', lang: 'en' })
  const document = mupdf.Document.openDocument(pdf, 'application/pdf')
  const pages = Array.from({ length: document.countPages() }, (_, index) => {
    const page = document.loadPage(index)
    const pixmap = page.toPixmap(mupdf.Matrix.scale(2, 2), mupdf.ColorSpace.DeviceRGB, false, true)
    return { text: unwrapped(page.toStructuredText('').asText()), image: pixmap.asPNG() }
  })
  return { pages, title: document.getMetaData('info:Title') }
}

const renderOrder = (event: EventEntry, lang: Lang) => render(ticketSheets(ORDER, event, lang))

function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

async function codesOf({ image }: Page): Promise<Record<string, string>> {
  const codes = await readBarcodes(image, { formats: ['QRCode', 'Code128'] })
  return Object.fromEntries(codes.map(({ format, text }) => [format, text]))
}

test('each ticket has its page, with its barcode as Code 128 and as QR', async () => {
  const { pages, title } = await renderOrder(EVENT, 'en')
  expect(title).toBe('Tickets')
  const barcodes = ORDER.tickets.map(({ barcode }) => barcode)
  expect(await Promise.all(pages.map(codesOf))).toEqual(
    barcodes.map((barcode) => ({ QRCode: barcode, Code128: barcode })),
  )
  expect(pages.map(({ text }) => barcodes.filter((barcode) => text.includes(barcode!)))).toEqual(
    barcodes.map((barcode) => [barcode]),
  )
})

describe('every datum stands on the page', () => {
  const data = [
    'Зимний сезон',
    'Лебединое озеро & Swan Lake',
    'Большой театр',
    'Театральная площадь, 1',
    'ООО «Ромашка»',
    '7701234567',
    '1027700132195',
    '125009, ул. Тверская, д. 1',
    'Входной',
    'a1b2c3d4',
  ]

  test.each([
    [
      'en' as const,
      ['Starts Thursday', '31 December 2026 at 19:30 GMT+3', 'Price 104.00 RUB (100.00 + service fee 4.00)'],
      ['Sector Партер', 'Row 12А', 'Seat 7', 'Ticket AAA 1', 'INN 7701234567, OGRN 1027700132195'],
      'Moscow, Театральная площадь, 1',
    ],
    [
      'ru' as const,
      ['Начало четверг, 31 декабря 2026 г. в 19:30 GMT+3', 'Цена 104.00 RUB (100.00 + сервисный сбор 4.00)'],
      ['Сектор Партер', 'Ряд 12А', 'Место 7', 'Билет AAA 1', 'ИНН 7701234567, ОГРН 1027700132195'],
      'Москва, Театральная площадь, 1',
    ],
  ])('in %s', async (lang, of_event, of_ticket, address) => {
    const { pages } = await renderOrder(EVENT, lang)
    for (const datum of [...data, ...of_event, ...of_ticket, address]) expect(pages[0]!.text).toContain(datum)
    expect(pages[1]!.text).toContain('XYZ 42')
    // No fee, no sum of parts; no seat, no words about one.
    expect(pages[1]!.text).toContain('100.00 RUB')
    expect(pages[1]!.text).not.toMatch(/\(100\.00|Sector|Сектор|Row|Ряд|Seat|Место/)
  })

  test('an entrepreneur by the number of their kind; an organizer without legal details by its name', async () => {
    const { ogrn: _, ...legal_detail } = { ...EVENT.org.legal_detail!, ogrnip: '304500116000157' }
    const entrepreneur = await renderOrder({ ...EVENT, org: { ...EVENT.org, legal_detail } }, 'ru')
    expect(entrepreneur.pages[0]!.text).toContain('ИНН 7701234567, ОГРНИП 304500116000157')
    const unknown = await renderOrder({ ...EVENT, org: { ...EVENT.org, legal_detail: null } }, 'ru')
    expect(unknown.pages[0]!.text).toContain(`Организатор ${EVENT.org.name}`)
  })

  test('the start is in the zone of the venue', async () => {
    const city = { ...EVENT.venue.city, timezone: 'Pacific/Honolulu' }
    const { pages } = await renderOrder({ ...EVENT, venue: { ...EVENT.venue, city } }, 'en')
    expect(pages[0]!.text).toContain('31 December 2026 at 06:30 GMT-10')
  })
})

test('the longest texts stay in their boxes, and the codes readable', async () => {
  const words = 'Очень длинное название '
  const long = (length: number) => words.repeat(length / words.length + 1).slice(0, length)
  const sheets = ticketSheets(
    ORDER,
    {
      ...EVENT,
      title: { text: long(200), desc: '' },
      ticket_template: { name: long(200), text_color: 'no colour' },
      venue: { ...EVENT.venue, name: long(200), address: 'Й'.repeat(500) },
      org: {
        ...EVENT.org,
        legal_detail: { ...EVENT.org.legal_detail!, name: long(200), address: long(500) },
      },
      sets: [makeSetEntry(STANDING, { name: 'W'.repeat(200) })],
      sectors: [{ id: 'hall', name: long(200), with_seats: true }],
    },
    'ru',
  )
  const { pages } = await render(sheets)
  expect(pages).toHaveLength(2)
  expect(pages[0]!.text).toContain(long(200).trim())
  for (const page of pages) expect(Object.keys(await codesOf(page)).toSorted()).toEqual(['Code128', 'QRCode'])
  const all = await boxesOfLines(sheets)
  for (const box of all) {
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.y).toBeGreaterThanOrEqual(0)
    expect(box.x + box.w).toBeLessThanOrEqual(595)
    expect(box.y + box.h).toBeLessThanOrEqual(842)
  }
  for (const [index, one] of all.entries())
    for (const other of all.slice(index + 1))
      expect(overlap(one, other), JSON.stringify([one, other])).toBe(0)
})

type Box = { x: number; y: number; w: number; h: number; text: string }

async function boxesOfLines(sheets: readonly TicketSheet[]): Promise<Box[]> {
  const pdf = await renderer.render(sheets.slice(0, 1), { title: '', lang: 'ru' })
  const page = mupdf.Document.openDocument(pdf, 'application/pdf').loadPage(0)
  const { blocks } = JSON.parse(page.toStructuredText('').asJSON()) as {
    blocks: { lines: { bbox: Omit<Box, 'text'>; text: string }[] }[]
  }
  return blocks.flatMap(({ lines }) => lines.map(({ bbox, text }) => ({ ...bbox, text })))
}

/** How much of two lines lies on one another, square points; a fifth of a line's height is the space between lines. */
function overlap(one: Box, other: Box): number {
  const width = Math.min(one.x + one.w, other.x + other.w) - Math.max(one.x, other.x)
  const height = Math.min(one.y + one.h, other.y + other.h) - Math.max(one.y, other.y)
  return width > 1 && height > Math.min(one.h, other.h) / 5 ? width * height : 0
}

test.each(['#ffffff', '#000', 'ffcc00', 'red; }', '', null, 7])(
  'text_color %j makes a page',
  async (text_color) => {
    const { pages } = await renderOrder({ ...EVENT, ticket_template: { text_color } }, 'en')
    expect(pages[0]!.text).toContain('Swan Lake')
  },
)

test('what cannot be rendered fails alone', async () => {
  const [sheet] = ticketSheets(ORDER, EVENT, 'en')
  const broken = { ...sheet!, barcode: '' }
  const [first, second] = await Promise.allSettled([render([broken]), render([sheet!])])
  expect(first).toMatchObject({ status: 'rejected', reason: expect.any(Error) })
  expect(second.status).toBe('fulfilled')
})

test('a thread that was closed begins again', async () => {
  await renderer.close()
  expect((await renderOrder(EVENT, 'en')).pages).toHaveLength(2)
})
