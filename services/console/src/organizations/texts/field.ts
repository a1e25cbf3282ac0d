import type {
  MemberInvitation,
  OrganizationChange,
  OrganizationToCreate,
} from '@gatehouse/admin-api/generated/openapi'
import { declareFields } from '../../form/field-words.ts'

type Field = Exclude<keyof OrganizationToCreate | keyof OrganizationChange, 'revision' | 'disabled'>

/** The words for the fields of an organization in forms, by the names of the API. */
export const organizationFieldTexts = declareFields<Field>({
  en: {
    color: ['Color', 'The color of buttons and links on the pages of its members, such as #0b5cad.'],
    attributes: [
      'Attributes',
      'Up to 20 texts as name=value, such as customer_number=4711. Only administrators change them, and not members.',
    ],
  },
  de: {
    name: ['Name', 'Was Menschen lesen. Mehrere Organisationen dürfen gleich heißen.'],
    slug: [
      'Kurzname',
      'Für Adressen und den Parameter organization: ein DNS-Name aus Kleinbuchstaben, Ziffern und Bindestrichen, den keine andere Organisation hat. Er kann sich ändern, darum sollte nichts nach ihm entschieden werden.',
    ],
    logo_uri: ['Logo', 'Die https-Adresse eines Bildes, das die Seiten ihrer Mitglieder zeigen.'],
    color: ['Farbe', 'Die Farbe von Knöpfen und Links auf diesen Seiten, zum Beispiel #0b5cad.'],
    attributes: [
      'Attribute',
      'Bis zu 20 Texte als name=wert, zum Beispiel customer_number=4711. Nur die Verwaltung ändert sie, nicht die Mitglieder.',
    ],
    second_factor_required: [
      'Zwei Faktoren nötig',
      'Ob Mitglieder zwei Faktoren nachgewiesen haben müssen, um in der Organisation zu handeln.',
    ],
    sso_required: [
      'Eigene Anmeldung nötig',
      'Ob in der Organisation nur Anmeldungen über ihre eigenen Verbindungen zählen. Inhaber sind ausgenommen. Es wirkt, solange die Organisation eine Verbindung hat, die nicht deaktiviert ist, und eine nachgewiesene Domain.',
    ],
  },
  ar: {
    name: ['الاسم', 'ما يقرؤه الناس. يجوز أن تحمل عدة مؤسسات الاسم نفسه.'],
    slug: [
      'الاسم المختصر',
      'للعناوين وللمعامل organization: اسم DNS بأحرف صغيرة وأرقام وشرطات لا تحمله مؤسسة أخرى. قد يتغيّر، فلا ينبغي أن يُبنى عليه قرار.',
    ],
    logo_uri: ['الشعار', 'عنوان https لصورة تعرضها صفحات أعضائها.'],
    color: ['اللون', 'لون الأزرار والروابط في تلك الصفحات، مثل ‎#0b5cad.'],
    attributes: [
      'السمات',
      'حتى 20 نصًا بصيغة name=value، مثل customer_number=4711. يغيّرها المسؤولون وحدهم دون الأعضاء.',
    ],
    second_factor_required: ['يلزم عاملان', 'هل يجب أن يثبت الأعضاء عاملين كي يعملوا ضمن المؤسسة.'],
    sso_required: [
      'يلزم تسجيل الدخول الخاص بها',
      'هل تُحتسب في المؤسسة عمليات تسجيل الدخول عبر اتصالاتها وحدها. يُستثنى المالكون. ويسري ذلك ما دام للمؤسسة اتصال غير معطّل ونطاق مثبت.',
    ],
  },
})

/** The words for the fields of an invitation to an organization. */
export const invitationFieldTexts = declareFields<Exclude<keyof MemberInvitation, 'roles' | 'language'>>({
  en: {
    email: [
      'E-mail address',
      'Where the invitation goes. Its link works once, for an account with this verified address.',
    ],
  },
  de: {
    email: [
      'E-Mail-Adresse',
      'Wohin die Einladung geht. Der Link gilt einmal, für ein Konto mit dieser bestätigten Adresse.',
    ],
    role: ['Rolle', 'Was die eingeladene Person in der Organisation tun darf.'],
  },
  ar: {
    email: ['عنوان البريد', 'وجهة الدعوة. يعمل رابطها مرة واحدة لحساب له هذا العنوان مؤكّدًا.'],
    role: ['الدور', 'ما يجوز للمدعو فعله في المؤسسة.'],
  },
})
