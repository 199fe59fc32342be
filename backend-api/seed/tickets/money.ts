// Seed tickets: payroll, invoices and expenses.

import type { Story } from '../story.ts'

export const MONEY: readonly Story[] = [
  {
    subject: 'Payroll: overtime of January is missing',
    body: 'My payslip for January lacks the eleven hours of overtime that my manager approved on the 22nd. The time sheet shows them as approved.',
    requester: 'erin',
    assignee: 'alice',
    priority: 'high',
    tags: ['payroll', 'overtime'],
    talk: [
      [
        'alice',
        'The approval came one day after the closing date. It will be paid with the February salary.',
      ],
      ['erin', 'Good to know. Will it be a line of its own?'],
      ['alice', 'Yes, "overtime 01/2026".'],
    ],
    resolution: 'The overtime is paid with the next salary.',
  },
  {
    subject: 'Bulletin de paie introuvable',
    body: "Je ne trouve pas mon bulletin de paie de décembre dans le coffre-fort numérique. Ceux d'octobre et de novembre sont bien là. J'en ai besoin pour un dossier de location.",
    requester: 'carol',
    assignee: 'alice',
    tags: ['payroll', 'documents'],
    talk: [
      ['alice', 'Le bulletin a été déposé ce matin. Pouvez-vous confirmer que vous le voyez ?'],
      ['carol', 'Oui, merci beaucoup.'],
    ],
    resolution: 'The payslip was uploaded again.',
  },
  {
    subject: 'Invoice 2026-0147 was paid twice',
    body: 'The supplier says that invoice 2026-0147 was paid on the 3rd and again on the 5th. They offer to credit it against the next one. Is that fine for the books?',
    requester: 'erin',
    assignee: 'bob',
    priority: 'high',
    tags: ['invoice', 'supplier'],
    talk: [
      ['bob', 'Please ask for a refund in this case, a credit would fall into the next quarter.'],
      ['erin', 'They will send it back this week.'],
      ['bob', 'The import ran twice after the crash on the 5th; checking for more duplicates.', 'internal'],
    ],
  },
  {
    subject: 'Factura sin número de pedido',
    body: 'Hemos recibido una factura de 1.280,50 € sin número de pedido y el sistema no me deja registrarla. ¿Cómo debo proceder?',
    requester: 'carol',
    assignee: 'bob',
    tags: ['invoice'],
    talk: [
      ['bob', 'Pida al proveedor una factura corregida con el número 4500-7731, por favor.'],
      ['carol', 'Ya la han enviado y está registrada.'],
    ],
    resolution: 'The supplier sent a corrected invoice with the order number.',
  },
  {
    subject: 'Rechnung im falschen Währungsfeld',
    body: 'Bei der Rechnung der Firma Müller & Söhne steht der Betrag in Schweizer Franken, gebucht wurde aber in Euro. Der Unterschied beträgt 63,18 €.',
    requester: 'erin',
    tags: ['invoice', 'currency'],
    talk: [['alice', 'Danke, ich storniere die Buchung und lege sie neu an.']],
  },
  {
    subject: 'Expense report stuck in approval',
    body: 'My travel expenses from the Warsaw trip have been waiting for approval since the 12th. My manager sees nothing in her list.',
    requester: 'carol',
    assignee: 'alice',
    tags: ['expenses', 'travel'],
    talk: [
      ['alice', 'The report still points at your former manager. I have changed it; she should see it now.'],
      ['carol', 'She has approved it. Thanks!'],
    ],
    resolution: 'The approver was changed to the present manager.',
  },
  {
    subject: '报销单被退回，没有说明原因',
    body: '我上周提交的差旅报销单被退回了，但是系统里没有写原因。酒店和机票的发票都已经上传。请问还缺少什么材料？',
    requester: 'erin',
    assignee: 'bob',
    tags: ['expenses', 'travel'],
    talk: [
      ['bob', '还缺少出租车的收据，请补充后重新提交。'],
      ['bob', 'The reason field is not shown in the Chinese interface; reported to the vendor.', 'internal'],
    ],
  },
  {
    subject: 'VAT number of the new branch',
    body: 'Could you tell me which VAT number we must put on orders for the branch in Porto? The form accepts the Lisbon one only.',
    requester: 'carol',
    priority: 'low',
    tags: ['invoice', 'vat'],
  },
  {
    subject: 'משכורת: שינוי חשבון בנק',
    body: 'שלום, החלפתי בנק ואני צריכה לעדכן את פרטי החשבון לתשלום המשכורת הבאה. האם אפשר לעשות זאת דרך הפורטל או שצריך לחתום על טופס?',
    requester: 'erin',
    assignee: 'alice',
    tags: ['payroll', 'bank account'],
    talk: [
      ['alice', 'שלום, יש למלא את הטופס בפורטל ולצרף אישור מהבנק.'],
      ['erin', 'תודה, שלחתי את הטופס.'],
    ],
    resolution: 'The bank account was changed after the form and the confirmation had arrived.',
  },
  {
    subject: 'Company card declined at the airport',
    body: 'My company card was declined twice this morning at the rental car desk in Helsinki. I paid with my own card. The limit should not be reached.',
    requester: 'erin',
    assignee: 'bob',
    priority: 'high',
    tags: ['expenses', 'company card'],
    talk: [
      [
        'bob',
        'The bank blocked it because of an unusual country. I have confirmed the payment, it works again.',
      ],
      ['erin', 'Confirmed, I could pay for lunch.'],
      ['bob', 'Please add the rental to your next expense report as paid privately.'],
    ],
    resolution: 'The bank lifted its block.',
  },
]
