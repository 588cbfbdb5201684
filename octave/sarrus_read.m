function run = sarrus_read(path)
  % SARRUS_READ  Results of Sarrus as a structure: run = sarrus_read("run.h5") or sarrus_read("run.csv").
  %
  %   run.time                     column of times [s]
  %   run.outputs.theta            column of an output
  %   run.bodies.crank.position    rows of three numbers, from HDF5 files with --all
  %   run.joints.O.force           likewise
  %   run.energy.drift             likewise
  %   run.units.theta              texts, from the side file of a CSV
  %
  % Works in Octave and in MATLAB. Characters that field names cannot have become '_'.
  [~, ~, ending] = fileparts(path);
  if any(strcmpi(ending, {'.h5', '.hdf5'}))
    run = read_hdf5(path);
  else
    run = read_csv(path);
  end
end

function run = read_csv(path)
  file = fopen(path, 'r');
  if file < 0
    error('sarrus_read: cannot open %s', path);
  end
  names = strsplit(strtrim(fgetl(file)), ',');
  numbers = fscanf(file, [repmat('%f,', 1, numel(names) - 1), '%f']);
  fclose(file);
  numbers = reshape(numbers, numel(names), [])';
  run.time = numbers(:, 1);
  run.outputs = struct();
  for k = 2:numel(names)
    run.outputs.(field_of(names{k})) = numbers(:, k);
  end
end

function run = read_hdf5(path)
  if exist('OCTAVE_VERSION', 'builtin')
    run = upright(load('-hdf5', path), []);
  else
    run = read_group(path, h5info(path));
  end
end

% Octave shows rows as columns: datasets have as many rows as there are times.
function value = upright(value, rows)
  if isstruct(value)
    if isfield(value, 'time')
      rows = numel(value.time);
    end
    names = fieldnames(value);
    for k = 1:numel(names)
      value.(names{k}) = upright(value.(names{k}), rows);
    end
  elseif isnumeric(value) && ~isempty(rows) && size(value, 1) ~= rows && size(value, 2) == rows
    value = value';
  end
end

function group = read_group(path, info)
  group = struct();
  for k = 1:numel(info.Datasets)
    name = info.Datasets(k).Name;
    value = h5read(path, [strrep([info.Name, '/'], '//', '/'), name]);
    group.(field_of(name)) = value.';
    if isvector(value)
      group.(field_of(name)) = value(:);
    end
  end
  for k = 1:numel(info.Groups)
    parts = strsplit(info.Groups(k).Name, '/');
    group.(field_of(parts{end})) = read_group(path, info.Groups(k));
  end
end

function name = field_of(name)
  name = regexprep(name, '[^A-Za-z0-9_]', '_');
  if isempty(regexp(name, '^[A-Za-z]', 'once'))
    name = ['x', name];
  end
end
