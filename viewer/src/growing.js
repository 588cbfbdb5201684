// A run that grows: as those of data.js, with room behind its last row. When it is full every second row goes, but for the last ones.
const MOST_ROWS = 12000;

export class GrowingRun {
  constructor(scene, label) {
    this.label = label;
    this.moves = true;
    this.bodies = scene.model.bodies.length;
    this.columns = scene.columns.map((column) => ({...column, quantum: 0, room: new Float32Array(256)}));
    this.byName = new Map(this.columns.map((column) => [column.name, column]));
    this.roomOfTime = new Float64Array(256);
    this.roomOfPoses = new Float32Array(256 * 7 * this.bodies);
    this.rows = this.changes = 0;
    this.report = {};
    this.trustedUntil = Infinity;
    this.show();
  }

  show() {
    this.changes++;
    this.time = this.roomOfTime.subarray(0, this.rows);
    this.poses = this.roomOfPoses.subarray(0, this.rows * 7 * this.bodies);
    for (const column of this.columns) column.values = column.room.subarray(0, this.rows);
  }

  grow() {
    const larger = (old) => {
      const room = new old.constructor(2 * old.length);
      room.set(old);
      return room;
    };
    this.roomOfTime = larger(this.roomOfTime);
    this.roomOfPoses = larger(this.roomOfPoses);
    for (const column of this.columns) column.room = larger(column.room);
  }

  thin() {
    const keep = [], width = 7 * this.bodies;
    for (let row = 0; row < this.rows; row++) if (row % 2 === 0 || row > this.rows - 100) keep.push(row);
    keep.forEach((from, to) => {
      this.roomOfTime[to] = this.roomOfTime[from];
      this.roomOfPoses.copyWithin(to * width, from * width, (from + 1) * width);
      for (const column of this.columns) column.room[to] = column.room[from];
    });
    this.rows = keep.length;
  }

  // Rows as live.h lists their numbers. What is not later than the last row replaces it.
  add({rows, width, values}) {
    const poses = 7 * this.bodies;
    for (let k = 0; k < rows; k++) {
      const at = k * width, t = values[at];
      while (this.rows > 0 && this.roomOfTime[this.rows - 1] >= t) this.rows--;
      if (this.rows >= MOST_ROWS) this.thin();
      if (this.rows === this.roomOfTime.length) this.grow();
      this.roomOfTime[this.rows] = t;
      for (let i = 0; i < poses; i++) this.roomOfPoses[this.rows * poses + i] = values[at + 1 + i];
      for (let i = 0; i < this.columns.length; i++) this.columns[i].room[this.rows] = values[at + 1 + poses + i];
      this.rows++;
    }
    this.show();
  }

  // Estimates of errors as columns beside those of the outputs, at the rows that there are.
  certify(certificate) {
    const {time, errors} = certificate, end = this.rows ? this.time[this.rows - 1] : 0;
    errors.forEach((list, k) => {
      const column = this.columns[k], name = `${column.name}.error`, room = new Float32Array(this.roomOfTime.length).fill(NaN);
      let at = 0;
      for (let row = 0; row < this.rows; row++) {
        while (at + 1 < time.length && time[at + 1] <= this.time[row]) at++;
        if (this.time[row] <= time[time.length - 1]) room[row] = list[at] ?? NaN;
      }
      this.byName.set(name, {name, unit: column.unit, quantum: 0, values: room.subarray(0, this.rows)});
    });
    const until = certificate.trusted_until;
    this.changes++;
    this.report = {...this.report, certificate};
    this.trustedUntil = Number.isFinite(until) && until < Math.min(end, time[time.length - 1]) * (1 - 1e-9) ? until : Infinity;
  }
}
