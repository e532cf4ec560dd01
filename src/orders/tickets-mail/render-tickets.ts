/** Tickets as a PDF, one A4 page each. Text that is too long for its box is set smaller, and at the smallest size cut off. */
import { fileURLToPath } from 'node:url'
import PdfDocument from 'pdfkit'
import { drawCode128, drawQr } from './draw-codes.ts'
import type { Field, TicketSheet } from './ticket-sheet.ts'

const FONT = fontFile('DejaVuSans.ttf')
const BOLD_FONT = fontFile('DejaVuSans-Bold.ttf')

/** Points, from the upper left corner. */
const PAGE = { width: 595.28, height: 841.89 }
const MARGIN = 42
const WIDTH = PAGE.width - 2 * MARGIN
const BAND_HEIGHT = 150
const CODES_TOP = 512
const QR_MODULE = 5.6
const BAR_MODULE = 1.9
const BAR_HEIGHT = 84

const INK = '#14171f'
const FAINT = '#6b7280'
const DARK_BAND = '#14171f'
const LIGHT_BAND = '#eef0f4'

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
type TextStyle = {
  readonly font: 'text' | 'bold'
  readonly size: number
  readonly smallest: number
  readonly color: string
}

/** The bytes of the document. `title` and `lang` are for its reader program. */
export async function renderTickets(
  sheets: readonly TicketSheet[],
  { title, lang }: { title: string; lang: string },
): Promise<Uint8Array> {
  const doc = new PdfDocument({ autoFirstPage: false, lang, info: { Title: title, Creator: 'Parterre' } })
  const chunks: Buffer[] = []
  doc.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<void>((resolve, reject) => doc.on('end', resolve).on('error', reject))
  doc.registerFont('text', FONT).registerFont('bold', BOLD_FONT)
  for (const sheet of sheets) {
    doc.addPage({ size: [PAGE.width, PAGE.height], margin: 0 })
    drawSheet(doc, sheet)
  }
  doc.end()
  await ended
  return Buffer.concat(chunks)
}

function drawSheet(doc: PDFKit.PDFDocument, sheet: TicketSheet): void {
  drawBand(doc, sheet)
  const row = (fields: readonly Field[], shares: readonly number[], y: number, height: number) => {
    let x = MARGIN
    for (const [index, field] of fields.entries()) {
      const width = WIDTH * (shares[index] ?? 1)
      drawField(doc, field, { x, y, width: width - 12, height })
      x += width
    }
  }
  row([sheet.start], [1], 168, 40)
  row([sheet.venue], [1], 216, 48)
  row([sheet.address], [1], 270, 52)
  row([sheet.category, sheet.price], [0.5, 0.5], 330, 52)
  row(sheet.seat, [0.5, 0.25, 0.25], 390, 46)
  row([sheet.ticket, sheet.order], [0.5, 0.5], 444, 40)
  drawCodes(doc, sheet.barcode)
  drawField(doc, sheet.organizer, { x: MARGIN, y: 690, width: WIDTH, height: 110 }, 10)
}

/** The title stands in the template's colour, on the band that contrasts with it. */
function drawBand(doc: PDFKit.PDFDocument, { caption, title, text_color }: TicketSheet): void {
  const color = text_color ?? '#ffffff'
  doc.rect(0, 0, PAGE.width, BAND_HEIGHT).fill(isLight(color) ? DARK_BAND : LIGHT_BAND)
  const box = { x: MARGIN, width: WIDTH }
  drawText(doc, caption, { ...box, y: 24, height: 16 }, { font: 'text', size: 10, smallest: 6, color })
  drawText(doc, title, { ...box, y: 44, height: 94 }, { font: 'bold', size: 26, smallest: 8, color })
}

function drawField(doc: PDFKit.PDFDocument, { label, value }: Field, box: Box, size = 14): void {
  const { y, height } = box
  drawText(doc, label, { ...box, height: 11 }, { font: 'text', size: 8, smallest: 8, color: FAINT })
  const font = size > 12 ? 'bold' : 'text'
  drawText(doc, value, { ...box, y: y + 12, height: height - 12 }, { font, size, smallest: 6, color: INK })
}

function drawCodes(doc: PDFKit.PDFDocument, barcode: string): void {
  const side = drawQr(doc, barcode, { x: MARGIN, y: CODES_TOP, module: QR_MODULE })
  const x = MARGIN + side + 8 * QR_MODULE + 10 * BAR_MODULE
  const width = drawCode128(doc, barcode, { x, y: CODES_TOP, module: BAR_MODULE, height: BAR_HEIGHT })
  const box = { x, y: CODES_TOP + BAR_HEIGHT + 8, width, height: 18 }
  drawText(doc, barcode, box, { font: 'text', size: 12, smallest: 12, color: INK })
}

function drawText(doc: PDFKit.PDFDocument, text: string, box: Box, style: TextStyle): void {
  // Line ends of the catalog are no wish about a ticket's layout.
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line === '') return
  const { x, y, width, height } = box
  doc.font(style.font)
  let { size } = style
  while (size > style.smallest && doc.fontSize(size).heightOfString(line, { width }) > height) size--
  doc.fontSize(size).fillColor(style.color).text(line, x, y, { width, height, ellipsis: true })
}

/** Rec. 601 luma of `#rrggbb`. */
function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return 0.299 * red + 0.587 * green + 0.114 * blue > 128
}

function fontFile(name: string): string {
  return fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}`))
}
