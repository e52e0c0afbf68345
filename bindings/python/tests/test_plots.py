# SPDX-License-Identifier: MIT
"""Pictures: what the Axes hold is what the objects hold, axes and legends say what it is, files are made, and matplotlib is optional."""
import subprocess
import sys

import attopotts as ap
import numpy as np
import pytest
from attopotts._generated import CURVES, ERROR_COLUMNS, SIMULATED
from attopotts.table import Table, new_rows

WITHOUT = "import sys; sys.modules['matplotlib'] = None; import attopotts as ap; "
NEEDS = pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True).returncode != 0,
                           reason="matplotlib is not installed (tools/machines/install-deps.sh --bindings)")


@pytest.fixture(autouse=True)
def no_window(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def fold():
    """Pairs of neighbours and of a hairpin; sites are numbered from 11, without 14."""
    model = ap.Model.random(12, 4, couplings="contacts", seed=2)
    model.set_sites(numbers=[n for n in range(11, 24) if n != 14])
    model.alphabet = "ABCD"
    return model


def dots(collection):
    return set(map(tuple, np.asarray(collection.get_offsets()).astype(int).tolist()))


def both(pairs):
    return {(int(i), int(j)) for i, j in pairs} | {(int(j), int(i)) for i, j in pairs}


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_matplotlib_is_neither_imported_nor_needed():
    drawing = ("matplotlib", "attopotts._plots", "attopotts._curves")
    code = f"import attopotts, sys; sys.exit(any(name.startswith({drawing}) for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    ending = subprocess.run([sys.executable, "-c", WITHOUT + "ap.Model.random(4, 3).plot()"], capture_output=True, text=True).stderr
    assert ending.splitlines()[-1] == "ImportError: pictures need matplotlib: pip install 'attopotts[plot]'"


@NEEDS
def test_quality(fold):
    """Weak samples of a model against its data: what is drawn is what was measured, and faults are told apart."""
    def drawn(beta, seed):
        sampler = ap.Sampler(fold, chains=400, seed=seed, beta=beta)
        sampler.sweep(200)
        return ap.Alignment(sampler.states()[:400], colors=4)

    measures, _ = ap.scores.samples_quality(drawn(1.0, 1), drawn(0.3, 2), runs=4, triples=100)
    ax = ap.scores.plot_quality(measures)
    names = [name for name, row in measures.items() if np.isfinite(row["low"]) or np.isfinite(row["high"])]
    assert [text.get_text().replace(" ", "_") for text in ax.get_yticklabels()] == names and "covariances_slope" in names
    faults = [k for k, name in enumerate(names) if abs(measures[name]["verdict"]) == 1]
    lines = {line.get_label(): line for line in ax.lines}
    assert 0 < len(faults) < len(names) and lines["samples, beyond the limits"].get_ydata().tolist() == faults
    assert lines["samples, beyond the limits"].get_xdata().tolist() == [measures[names[k]]["samples"] for k in faults]
    assert len(lines["samples"].get_xdata()) == len(names) - len(faults)
    left, right = ax.get_xlim()
    for bar, name in zip(ax.patches, names):
        low, high = measures[name]["low"], measures[name]["high"]
        assert bar.get_x() == pytest.approx(low if np.isfinite(low) else left)
        assert bar.get_x() + bar.get_width() == pytest.approx(high if np.isfinite(high) else right)
        assert left <= measures[name]["samples"] <= right
    with pytest.raises(ValueError, match="no measure has limits"):
        ap.scores.plot_quality({name: {**row, "low": float("nan"), "high": float("nan")} for name, row in measures.items()})


@NEEDS
def test_contact_map(fold):
    found = ap.contacts(fold, separation=2, gap=-1)
    assert found == list(found) and found[0][2] >= found[1][2] and len(found) > 12
    distances = np.full((12, 12), 12.0)
    places = {number: place for place, number in enumerate(fold.site_numbers.tolist())}
    near, far, unknown = ([(places[i], places[j]) for i, j, _ in found[a:b]] for a, b in ((0, 3), (3, 5), (5, 6)))
    for pairs, d in ((near, 5.0), (far, 9.0), (unknown, np.nan), ([(0, 11)], 7.9)):
        for i, j in pairs:
            distances[i, j] = distances[j, i] = d
    ax = found.plot(distances=distances, count=6)
    drawn = {c.get_label(): dots(c) for c in ax.collections}
    pairs = [pair[:2] for pair in found]
    assert drawn == {"contact, distance < 8 \u00c5": both([*pairs[:3], (11, 23)]), "predicted, contact": both(pairs[:3]),
                     "predicted, no contact": both(pairs[3:5]), "predicted, distance not known": both(pairs[5:6])}
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim()) == ("site", "site", (10.5, 23.5)) and set(legend(ax)) == set(drawn)
    assert {c.get_label(): dots(c) for c in found.plot().collections} == {"predicted": both(pairs[:12])}
    with pytest.raises(ValueError, match=r"distances has shape \(3, 3\), expected \(12, 12\)"):
        found.plot(distances=np.zeros((3, 3)))


@NEEDS
def test_places_where_numbers_have_large_gaps(fold):
    fold.set_sites(numbers=[*range(1, 12), 500])
    assert fold.plot().images[0].get_extent() == (0.5, 12.5, 0.5, 12.5)
    (dot,) = ap.contacts(fold, gap=-1).plot(count=66).collections
    assert (11, 12) in dots(dot) and max(map(max, dots(dot))) == 12


@NEEDS
def test_heat_maps_hold_the_matrices(fold):
    kept = [n - 11 for n in fold.site_numbers]
    expected = ap.scores.apc(fold.frobenius())
    np.fill_diagonal(expected, np.nan)
    ax = fold.plot(gap=-1)
    (image,) = ax.images
    grid = image.get_array().filled(np.nan) if np.ma.isMA(image.get_array()) else image.get_array()
    assert np.array_equal(grid[np.ix_(kept, kept)], expected, equal_nan=True)
    assert np.all(np.isnan(grid[3])) and image.get_extent() == (10.5, 23.5, 10.5, 23.5)
    assert all(tick == int(tick) for tick in ax.get_xticks())
    assert ax.figure.axes[1].get_ylabel() == "coupling strength: Frobenius norm, corrected (APC)"
    plain = fold.plot(corrected=False, gap=-1).images[0].get_array()
    assert np.allclose(plain[np.ix_(kept, kept)][0, 1:], fold.frobenius()[0, 1:], rtol=1e-14)
    mapped, valued = fold.plot_head().images[0], fold.plot_head(part="values").images[0]
    assert np.array_equal(mapped.get_array()[0, 1:3], fold.maps[0][0, 1:3]) and np.array_equal(valued.get_array(), fold.values[0])
    low, high = mapped.get_clim()
    assert low == -high == -np.abs(fold.maps[0]).max()
    assert [text.get_text() for text in valued.axes.get_xticklabels()] == list("ABCD")
    for wrong, error in (({"head": 1}, IndexError), ({"part": "keys"}, ValueError)):
        with pytest.raises(error):
            fold.plot_head(**wrong)


@NEEDS
@pytest.mark.parametrize("score, which, sign", [("energy", 0, -1), ("log_pseudolikelihood", 1, 1)])
def test_mutants(fold, score, which, sign):
    sequence = np.array([0, 1, 2, 3] * 3)
    sequence[5] = ap.MISSING
    ax = fold.plot_mutants(sequence, score=score)
    kept = [n - 11 for n in fold.site_numbers]
    assert np.array_equal(ax.images[0].get_array()[:, kept], sign * fold.mutants(sequence)[which].T)
    # As in the program's picture: orange to blue through white, symmetric about 0, the first colour at the top.
    scale = ax.images[0].get_cmap()
    assert np.allclose(scale([0.0, 0.5, 1.0])[:, :3] * 255, [[179, 88, 6], [255, 255, 255], [8, 48, 107]]) and scale.N == 11
    assert ax.images[0].norm.vmin == -ax.images[0].norm.vmax == -np.nanmax(np.abs(ax.images[0].get_array()))
    assert ax.yaxis_inverted() and ax.get_ylim() == (3.5, -0.5) and ax.get_title() == "All single mutants"
    (own,) = ax.get_lines()
    assert np.array_equal(own.get_xydata(), [(n, a) for n, a in zip(fold.site_numbers, sequence) if a != ap.MISSING])
    assert [text.get_text() for text in ax.get_yticklabels()] == list("ABCD") and ax.get_ylabel() == "mutated to"
    with pytest.raises(ValueError, match='score is "loss", expected energy or log_pseudolikelihood'):
        fold.plot_mutants(sequence, score="loss")


@NEEDS
def test_theory_and_simulation_share_colours():
    masked = ap.replica.mask_precision(ap.replica.goe_precision(30, 2.5))
    theory = ap.replica.square(*masked.spectrum(), masked.noise, [0.5, 1, 2, 5, 10], 0.01)
    simulated = ap.replica.simulate(masked, [1.0, 2.0], 0.01, realisations=5)
    ax = simulated.plot(theory.plot())
    lines = {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}
    for column, words in (("eg", "generalisation loss"), ("et", "training loss")):
        assert np.array_equal(lines[words].get_xydata(), np.column_stack([theory["alpha"], theory[column]]))
    points = {container.get_label(): container for container in ax.containers}
    for column, words in (("eg", "generalisation loss"), ("et", "training loss")):
        line, _, (bars,) = points[words + ", simulated"].lines
        assert np.array_equal(line.get_xydata(), np.column_stack([simulated["alpha"], simulated[column]]))
        assert np.allclose([y1 - y0 for (_, y0), (_, y1) in bars.get_segments()], 2 * simulated[column + "_sem"], rtol=1e-12)
        assert line.get_color() == lines[words].get_color() and line.get_linestyle() == "None"
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == (r"$\alpha$: samples per parameter", "loss", "log")
    assert len({line.get_color() for line in lines.values()}) == 2 and len(legend(ax)) == 4


@NEEDS
def test_columns_that_are_asked_for():
    table = ap.replica.limit(2.5, [1, 2, 4], 0.01)
    ax = table.plot(y=["q", "m"], x="eg", label="limit")
    assert np.array_equal(ax.get_lines()[1].get_xydata(), np.column_stack([table["eg"], table["m"]]))
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("generalisation loss", "q, m", "linear")
    assert legend(ax) == ["limit, q", "limit, m"]
    assert table.plot(y="eg").get_ylabel() == "generalisation loss"
    assert ap.dotattn.tokens([1.0], points=32, shifts=2).plot(y="et").get_ylabel() == "training loss per dimension"
    for wrong in ({"y": "egg"}, {"x": "egg"}, {"y": ["eg", "egg"]}):
        with pytest.raises(ValueError, match='no column "egg", expected one of alpha, lambda, eg, '):
            table.plot(**wrong)


@NEEDS
def test_logs_of_training(fold):
    data = ap.Alignment(ap.Sampler(fold, chains=8).sample(64).sequences, colors=4)
    trainer = ap.Trainer(data, epochs=5)
    trainer.keep_log(5)
    with pytest.raises(ValueError, match="nothing to plot"):
        trainer.log.plot()
    trainer.run()
    ax = trainer.log.plot()
    (line,) = ax.get_lines()
    assert np.array_equal(line.get_xydata(), np.column_stack([trainer.log["epoch"], trainer.log["train_loss"]]))
    assert ax.get_ylabel() == "loss on the training sequences [nats per site]" and ax.get_legend() is None
    chains = ap.Trainer(data, family="dense", objective="likelihood", chains=64, epochs=3, target=1)
    chains.keep_log(3)
    chains.run()
    ax = chains.log.plot()
    assert np.array_equal([line.get_ydata() for line in ax.get_lines()], [chains.log["pearson"], chains.log["slope"]])
    assert ax.get_ylabel() == "C_ij of chains against the family" and legend(ax) == ["pearson", "slope"]
    path = ap.select_penalty(data, strengths=3, folds=2)
    ax = path.plot()
    assert ax.get_ylabel() == "held-out loss, nats per site" and "chosen" in legend(ax) and ax.get_xscale() == "log"
    (container,) = ax.containers
    assert np.array_equal(container.lines[0].get_ydata(), path["heldout_loss"])
    weights = data.scan_weights([0.1, 0.3])
    assert np.array_equal(weights.plot().get_lines()[0].get_ydata(), weights["effective"])


@NEEDS
def test_attention_against_time_run_by_run():
    table = ap.dotattn.trajectories([0, 0.1, 0.2], runs=2, dimension=50, test_samples=10)
    ax = table.plot(y="m")
    runs = int(table["run"].max()) + 1
    lines = ax.get_lines()
    assert len(lines) == runs > 1 and len({line.get_color() for line in lines}) == 1
    for run, line in enumerate(lines):
        assert np.array_equal(line.get_ydata(), table["m"][table["run"] == run])
    assert ax.get_xlabel() == "samples per dimension seen so far"


@NEEDS
def test_histogram_and_files(fold, tmp_path):
    found = ap.hamming_histogram(ap.Sampler(fold, chains=8).sample(40).sequences)
    counts, mean = found
    ax = found.plot(label="samples")
    (steps,) = ax.patches
    assert np.allclose(steps.get_data().values, counts / (40 * 39 / 2), rtol=1e-15)
    assert np.isclose(ax.get_lines()[0].get_xdata()[0], mean * 12) and legend(ax) == ["samples"]
    assert np.isclose(np.average(np.arange(13), weights=steps.get_data().values), mean * 12)
    for name, beginning in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml")):
        ax.figure.savefig(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(beginning)


@NEEDS
def test_covariances():
    data = ap.Alignment(ap.Sampler(ap.Model.random(5, 3, seed=1), chains=8).sample(400).sequences, colors=3)
    constant = ap.Alignment(np.zeros((4, 5), dtype=np.uint8), colors=3)
    ax = ap.scores.plot_covariances(data, constant)
    (cells,) = ax.collections
    assert cells.get_array().sum() == 10 * 9 and np.all(cells.get_array() > 0)
    x, y = cells.get_offsets().T
    assert np.abs(y).max() < 0.1 * np.ptp(x) and np.ptp(x) > 0.5 * np.ptp(data.covariances()[np.triu_indices(5, 1)])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("C_ij(a, b) of the data", "C_ij(a, b) of the samples")
    x, y = ap.scores.plot_covariances(data, data).collections[0].get_offsets().T
    assert np.abs(x - y).max() < 0.05 * np.ptp(x)
    with pytest.raises(ValueError, match="samples have 5 sites and 3 colours, expected 5 and 4 as in data"):
        ap.scores.plot_covariances(ap.Alignment(data.sequences, colors=4), data)


def test_every_curve_has_its_columns():
    for kind, (x, y, _) in CURVES.items():
        table = Table(new_rows(None, kind.lower(), 1))
        assert {x, *y} <= set(table) and {error for name, error in ERROR_COLUMNS.items() if name in table} <= set(table)
    assert len(CURVES) == 11 and set(SIMULATED) < set(CURVES)


@NEEDS
def test_tables_that_are_no_curves(fold):
    with pytest.raises(ValueError, match="a table TUNING has no picture"):
        Table(new_rows(None, "tuning", 1)).plot()
